"""The organiser's side of a study: from a draft to a frozen study, its previews, and its end."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eic_core import wording
from study.ballots import (
    INSTRUCTION,
    BallotContent,
    make_content,
    plain_texts,
    problem_table,
    special_material,
)
from study.clock import Chance, Clock
from study.design import AttentionKind, StudyDesign, StudyStatus, canonical_json, frozen_hash
from study.errors import DesignError, FrozenStudyError, NotFoundError, StaleEditError, StudyError
from study.freezing import (
    Readiness,
    configuration_of,
    merged_design,
    readiness_of,
    refuse_if_changed,
    version_of,
)
from study.giveaways import Giveaway, drawn_pairs, giveaways, thinned
from study.links import InvitationService
from study.material import Column, NewPair, PairKind, Pool, Problem, Study, StudyPair
from study.monitoring import Monitor
from study.rating_types import Ballot
from study.report.preregistration import preregistration
from study.statistics.clusters import estimand_of
from study.store import AuditLine, Store, Tx, require_study
from study.unblinding import EarlyLooks


@dataclass(frozen=True)
class Preview:
    pair: StudyPair  # With EIC, method and all: for the organiser's eyes
    ballot: Ballot
    digits: int  # Significant digits shown
    r2_change: float  # The larger change of the two R² through rounding
    lower_left: bool  # Whether the formula of lower EIC stands on the left in this preview
    # The formulas as the ballot writes them
    lower_latex: str
    higher_latex: str
    lower_text: str
    higher_text: str
    rules: tuple[str, ...]  # Ids of the rules of the fair form that changed something


def special_content(design: StudyDesign, problem: Problem, pair: NewPair) -> BallotContent:
    content = make_content(problem, pair)
    asks = pair.kind == PairKind.ATTENTION and design.attention_kind == AttentionKind.INSTRUCTED
    return dataclasses.replace(content, instruction=INSTRUCTION) if asks else content


def preview_of(study: Study, pair: StudyPair, content: BallotContent, lower_left: bool) -> Preview:
    kind = pair.pair.kind
    ballot = content.ballot(
        study.design,
        lower_left=lower_left,
        token="preview",
        number=0 if kind == PairKind.PRACTICE else 1,
        of=study.design.ballots_per_rater + study.design.attention_checks,
        practice=kind == PairKind.PRACTICE,
    )
    lower_text, higher_text = plain_texts(pair.pair, content)
    return Preview(
        pair,
        ballot,
        content.digits,
        content.r2_change,
        lower_left,
        content.lower.latex,
        content.higher.latex,
        lower_text,
        higher_text,
        content.rules,
    )


Progress = Callable[[int, int], None]


class OrganiserService:
    """What the organiser's page calls; an object holds no state.

    - `invitations`: makes, lists and revokes links.
    - `monitor`: the live list, and exports.
    - `early`: looks at the results of an open study.

    Parameters
    ----------
    store
    clock
    chance
        Where studies are stored, what time it is, and where tokens come from.
    demo
        A demo invites nobody: links are made for this machine only.
    actor
        Who is written into the audit lines.

    Notes
    -----
    Everything that changes a draft raises `FrozenStudyError` on a frozen study, and
    `NotFoundError` for an unknown id. What takes `version_seen`, a number from `version`, raises
    `StaleEditError` if the study has changed since; None: never.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        chance: Chance,
        *,
        demo: bool = False,
        actor: str = "organiser",
    ) -> None:
        self._store = store
        self._clock = clock
        self._actor = actor
        self.invitations = InvitationService(store, clock, chance, demo=demo, actor=actor)
        self.monitor = Monitor(store, clock)
        self.early = EarlyLooks(store, clock, actor=actor)

    # --- drafts ---

    def create(self, name: str, design: StudyDesign | None = None) -> Study:
        """Make a draft.

        Parameters
        ----------
        name
            1 to 100 characters; spaces at the ends are dropped.
        design
            Its settings; None: the defaults.

        Returns
        -------
        Study
            The draft, without problems and pairs.

        Raises
        ------
        DesignError
            If the name is empty, too long, or taken.
        """
        now = self._clock.now()
        with self._store.writing() as tx:
            self._check_name(tx, name, None)
            study_id = tx.studies.add(name.strip(), design or StudyDesign(), {}, now)
            tx.audit.add(now, self._actor, "created", study_id)
            return require_study(tx, study_id)

    def studies(self) -> tuple[Study, ...]:
        """All studies.

        Returns
        -------
        tuple[Study, ...]
            Newest first.
        """
        with self._store.reading() as tx:
            return tx.studies.every()

    def study(self, study: int | str) -> Study:
        """One study.

        Parameters
        ----------
        study
            Its id, or its name.

        Returns
        -------
        Study
            As stored now.
        """
        with self._store.reading() as tx:
            match = tx.studies.get(study) if isinstance(study, int) else tx.studies.by_name(study)
            if match is None:
                raise NotFoundError(f"there is no study `{study}`")
            return match

    def version(self, study_id: int) -> int:
        """A study's version, for `version_seen`.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        int
            Grows with every change that an organiser makes.
        """
        with self._store.reading() as tx:
            return version_of(tx.audit.every(study_id))

    def edit(
        self,
        study_id: int,
        *,
        name: str | None = None,
        design: StudyDesign | None = None,
        based_on: StudyDesign | None = None,
    ) -> Study:
        """Change the name or the settings of a draft.

        Only `StudyDesign.public_base_url` can change in a frozen study.

        Parameters
        ----------
        study_id
            A study's.
        name
        design
            The new ones; None: as before.
        based_on
            The design that was looked at: only what `design` changes of it is written.

        Returns
        -------
        Study
            As stored now.

        Raises
        ------
        StaleEditError
            If the same settings have changed since `based_on` was read.
        """
        now = self._clock.now()
        with self._store.writing() as tx:
            study = require_study(tx, study_id)
            if design is not None and based_on is not None:
                design = merged_design(study.design, based_on, design)
            if study.status != StudyStatus.DRAFT:
                same = design is None or design.inference_json() == study.design.inference_json()
                if name is not None or not same:
                    raise FrozenStudyError(
                        "this study is frozen", hint="only its public address may change"
                    )
            if name is not None:
                self._check_name(tx, name, study_id)
            tx.studies.edit(study_id, name=name.strip() if name else None, design=design)
            tx.audit.add(now, self._actor, "edited", study_id, _changed(study, name, design))
            return require_study(tx, study_id)

    def delete_draft(self, study_id: int, *, version_seen: int | None = None) -> None:
        """Delete a draft with all that belongs to it; frozen studies stay.

        Parameters
        ----------
        study_id
        version_seen
            The draft, and its version when it was looked at.
        """
        with self._store.writing(erasing=True) as tx:
            study = self._draft(tx, study_id, version_seen)
            tx.studies.delete_draft(study_id)
            tx.audit.add(self._clock.now(), self._actor, "deleted a draft", None, study.name)

    def set_problems(
        self, study_id: int, problems: Sequence[Problem], *, version_seen: int | None = None
    ) -> tuple[Problem, ...]:
        """Replace the problems; the pairs made from the old ones go.

        Parameters
        ----------
        study_id
            A draft's.
        problems
            In the order to show them.
        version_seen
            The draft's version when it was looked at.

        Returns
        -------
        tuple[Problem, ...]
            The problems, as given.

        Raises
        ------
        StudyError
            If two have one name, or a table has not one or two inputs and a target.
        """
        names = [problem.name for problem in problems]
        if len(set(names)) < len(names):
            raise StudyError("two problems have the same name")
        for problem in problems:
            problem_table(problem)
        with self._store.writing(erasing=True) as tx:
            self._draft(tx, study_id, version_seen)
            tx.materials.set_pairs(study_id, ())
            tx.materials.set_problems(study_id, problems)
            self._note(tx, study_id, "set the problems", f"{len(problems)} problems")
        return tuple(problems)

    def describe_problem(
        self,
        study_id: int,
        name: str,
        *,
        title: str,
        description: str,
        columns: tuple[Column, ...] | None = None,
        based_on: Problem | None = None,
    ) -> tuple[Problem, ...]:
        """Change what raters are told of a problem of a draft; its data and pairs stay.

        Parameters
        ----------
        study_id
        name
            The draft, and the name of one of its problems.
        title
        description
            In words for lay readers.
        columns
            Units and meanings; None: as before.
        based_on
            The problem that was looked at.

        Returns
        -------
        tuple[Problem, ...]
            All problems of the draft.

        Raises
        ------
        StaleEditError
            If the problem has changed since `based_on` was read.
        """
        with self._store.writing() as tx:
            self._draft(tx, study_id)
            problems = tx.materials.problems(study_id)
            old = next((p for p in problems if p.name == name), None)
            if old is None:
                raise NotFoundError(f"there is no problem `{name}`")
            if based_on is not None and old != based_on:
                raise StaleEditError(
                    f"another organiser has changed `{name}` meanwhile",
                    hint="look at both, and choose",
                )
            new = dataclasses.replace(
                old,
                title=title,
                description=description,
                columns=old.columns if columns is None else columns,
            )
            changed = tuple(new if p is old else p for p in problems)
            tx.materials.set_problems(study_id, changed)
            self._note(tx, study_id, "described a problem", name)
            return changed

    def problems(self, study_id: int) -> tuple[Problem, ...]:
        """The problems of a study.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        tuple[Problem, ...]
            In order, without those of practice and checks.
        """
        with self._store.reading() as tx:
            return tx.materials.problems(study_id)

    def set_pool(self, study_id: int, pool: Pool, *, version_seen: int | None = None) -> None:
        """Store the scored pool with a draft; the pairs made from an old one go.

        Parameters
        ----------
        study_id
            A draft's.
        pool
            From `study.pairing.read_upload`.
        version_seen
            The draft's version when it was looked at.
        """
        with self._store.writing() as tx:
            self._draft(tx, study_id, version_seen)
            tx.materials.set_pairs(study_id, ())
            tx.materials.set_pool(study_id, pool)
            self._note(tx, study_id, "set the pool", f"{pool.name}, {pool.rows} rows")

    def pool(self, study_id: int) -> Pool | None:
        """The scored pool of a study.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        Pool | None
            None before `set_pool`.
        """
        with self._store.reading() as tx:
            return tx.materials.pool(study_id)

    # --- pairs ---

    def set_pairs(
        self,
        study_id: int,
        pairs: Sequence[NewPair],
        rules: Mapping[str, Any] | None = None,
        *,
        version_seen: int | None = None,
    ) -> tuple[StudyPair, ...]:
        """Replace the pairs of a draft, and store the rules they came from.

        Parameters
        ----------
        study_id
            A draft's.
        pairs
            From `study.pairing.pairs_from_matching`; their problems must be the draft's.
        rules
            `MatchingRules.to_json`; None: as before.
        version_seen
            The draft's version when it was looked at.

        Returns
        -------
        tuple[StudyPair, ...]
            The pairs with their ids.
        """
        with self._store.writing() as tx:
            self._draft(tx, study_id, version_seen)
            names = {problem.name for problem in tx.materials.problems(study_id)}
            for pair in pairs:
                if pair.problem not in names:
                    raise StudyError(
                        f"there is no problem `{pair.problem}`",
                        hint="add its data before its pairs",
                    )
            if rules is not None:
                plain = json.loads(canonical_json(dict(rules)))
                tx.studies.edit(study_id, rules=plain)
            tx.materials.set_pairs(study_id, pairs)
            self._note(tx, study_id, "set the pairs", f"{len(pairs)} pairs")
            return tx.materials.pairs(study_id, PairKind.MAIN)

    def pairs(self, study_id: int) -> tuple[StudyPair, ...]:
        """The pairs of a study, dropped ones included.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        tuple[StudyPair, ...]
            In order, without practice and checks.
        """
        with self._store.reading() as tx:
            return tx.materials.pairs(study_id, PairKind.MAIN)

    def giveaways(self, study_id: int) -> tuple[tuple[Giveaway, ...], int]:
        """How well what raters see gives the lower EIC away, feature by feature.

        Parameters
        ----------
        study_id
            A study's; of a frozen one the very ballots are looked at.

        Returns
        -------
        tuple[tuple[Giveaway, ...], int]
            The most telling first, and the number of pairs that were looked at.
        """
        with self._store.reading() as tx:
            study = require_study(tx, study_id)
            pairs = thinned([p for p in tx.materials.pairs(study_id, PairKind.MAIN) if p.in_study])
            stored = [tx.materials.ballot(pair.id) for pair in pairs]
            problems = tx.materials.problems(study_id)
        ballots = [text and BallotContent.from_json(text) for text in stored]
        drawn = drawn_pairs(
            problems,
            [(p.pair, b or None) for p, b in zip(pairs, ballots, strict=True)],
            study.exponents,
        )
        return giveaways(drawn), len(drawn)

    def drop_pair(self, study_id: int, pair_id: int, reason: str) -> StudyPair:
        """Leave a pair out of a draft.

        Parameters
        ----------
        study_id
        pair_id
            The draft, and one of its pairs.
        reason
            Not empty; stored with the study, cut after 500 characters.

        Returns
        -------
        StudyPair
            The pair with its reason.
        """
        if not reason.strip():
            raise DesignError("say why this pair is left out", field="reason")
        return self._drop(study_id, pair_id, reason.strip()[:500])

    def restore_pair(self, study_id: int, pair_id: int) -> StudyPair:
        """Take a dropped pair back in.

        Parameters
        ----------
        study_id
        pair_id
            The draft, and one of its pairs.

        Returns
        -------
        StudyPair
            The pair without a reason.
        """
        return self._drop(study_id, pair_id, "")

    def preview(self, study_id: int, pair_id: int, *, lower_left: bool = True) -> Preview:
        """A pair exactly as raters see it; in a frozen study the very content they get.

        Parameters
        ----------
        study_id
        pair_id
            The study, and one of its pairs.
        lower_left
            Whether the formula of lower EIC stands on the left.

        Returns
        -------
        Preview
            For the organiser's eyes: it tells the EIC.
        """
        with self._store.reading() as tx:
            study = require_study(tx, study_id)
            pair = tx.materials.pair(study_id, pair_id)
            if pair is None:
                raise NotFoundError("there is no such pair in this study")
            stored = tx.materials.ballot(pair_id)
            frozen = BallotContent.from_json(stored) if stored else None
            problems = {p.name: p for p in tx.materials.problems(study_id)}
        # Practice and checks of a frozen study have no problem of the organiser's.
        content = frozen or make_content(problems[pair.pair.problem], pair.pair, study.exponents)
        return preview_of(study, pair, content, lower_left)

    def preview_specials(self, study_id: int) -> tuple[Preview, ...]:
        """The practice ballot and the attention checks of a study.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        tuple[Preview, ...]
            Practice first.
        """
        study = self.study(study_id)
        previews = []
        for number, (problem, pair) in enumerate(special_material(study.design)):
            content = special_content(study.design, problem, pair)
            previews.append(preview_of(study, StudyPair(0, number, pair), content, True))
        return tuple(previews)

    # --- freezing ---

    def readiness(self, study_id: int) -> Readiness:
        """What is missing before `freeze`, and what the organiser should know.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        Readiness
            Sentences, and the size of the study.
        """
        with self._store.reading() as tx:
            return readiness_of(tx, require_study(tx, study_id), self._clock.now())

    def freeze(
        self, study_id: int, *, version_seen: int | None = None, progress: Progress | None = None
    ) -> Study:
        """Make every ballot, hash everything, and open the study.

        Parameters
        ----------
        study_id
        version_seen
            The draft, and its version when it was looked at.
        progress
            Takes (ballots made, ballots in all).

        Returns
        -------
        Study
            Open, with its hash.

        Raises
        ------
        StudyError
            If something is missing, or the draft was changed meanwhile; nothing is frozen then.
        """
        with self._store.reading() as tx:
            before = self._snapshot(tx, study_id)
        study, problems, pairs, _ = before
        tables = {problem.name: problem for problem in problems}
        chosen = [pair for pair in pairs if pair.in_study]
        specials = special_material(study.design)
        total, contents = len(chosen) + len(specials), {}
        for pair in chosen:
            problem = tables[pair.pair.problem]
            contents[pair.id] = make_content(problem, pair.pair, study.exponents)
            if progress is not None:
                progress(len(contents), total)
        now = self._clock.now()
        with self._store.writing() as tx:
            self._draft(tx, study_id, version_seen)
            readiness = readiness_of(tx, study, now)
            if not readiness.ready:
                raise StudyError("this study cannot be frozen", hint=readiness.missing[0])
            if self._snapshot(tx, study_id) != before:
                raise StudyError("the draft was changed meanwhile", hint="look, and freeze again")
            for problem, special in specials:
                tx.materials.add_problem(study_id, problem)
                row = tx.materials.add_pair(study_id, special)
                contents[row.id] = special_content(study.design, problem, special)
            for pair_id, content in contents.items():
                tx.materials.add_ballot(pair_id, content.to_json())
            if not study.design.estimand:
                about = estimand_of(len({pair.pair.problem for pair in chosen}))
                tx.studies.edit(study_id, design=dataclasses.replace(study.design, estimand=about))
            configuration = configuration_of(tx, study_id)
            tx.studies.freeze(
                study_id, canonical_json(configuration), frozen_hash(configuration), now
            )
            frozen = require_study(tx, study_id)
            tx.audit.add(now, self._actor, "froze and opened", study_id, frozen.hash)
            return frozen

    def verify(self, study_id: int) -> bool:
        """Whether what is stored still has the hash that it was frozen with.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        bool
            False for a draft.
        """
        with self._store.reading() as tx:
            study = require_study(tx, study_id)
            return bool(study.hash) and frozen_hash(configuration_of(tx, study_id)) == study.hash

    def preregistration(self, study_id: int) -> str:
        """What a frozen study declared.

        Parameters
        ----------
        study_id
            Of a frozen study.

        Returns
        -------
        str
            A Markdown document.

        Raises
        ------
        UserError
            If it is a draft, or was frozen before studies declared their analysis.
        """
        with self._store.reading() as tx:
            study = require_study(tx, study_id)
            if study.status == StudyStatus.DRAFT:
                raise StudyError("a draft has declared nothing yet", hint="freeze it first")
            return preregistration(json.loads(tx.studies.configuration(study_id)))

    def close(self, study_id: int) -> Study:
        """End an open study: no consent and no vote from now on.

        Parameters
        ----------
        study_id
            Of a frozen study; closing it again changes nothing.

        Returns
        -------
        Study
            Closed.
        """
        now = self._clock.now()
        with self._store.writing() as tx:
            study = require_study(tx, study_id)
            if study.status == StudyStatus.DRAFT:
                raise StudyError("a draft cannot be closed", hint="delete it instead")
            if study.status == StudyStatus.OPEN:
                tx.studies.close(study_id, now)
                sealed, link = tx.seals.last(study_id)
                detail = (
                    f"{wording.count(sealed, 'sealed vote')}, last link {link}" if sealed else ""
                )
                tx.audit.add(now, self._actor, "closed", study_id, detail)
            return require_study(tx, study_id)

    def end_admission(self, study_id: int) -> Study:
        """Take in nobody new; those at work may finish, until `close`.

        Parameters
        ----------
        study_id
            Of an open study.

        Returns
        -------
        Study
            With the time from which nobody may consent.
        """
        now = self._clock.now()
        with self._store.writing() as tx:
            study = require_study(tx, study_id)
            if study.status != StudyStatus.OPEN:
                raise StudyError("only an open study takes people in")
            if study.admission_ended_at is None:
                tx.studies.end_admission(study_id, now)
                tx.audit.add(now, self._actor, "ended admission", study_id)
            return require_study(tx, study_id)

    def audit(self, study_id: int) -> tuple[AuditLine, ...]:
        """What was done to this study; never who voted what.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        tuple[AuditLine, ...]
            Newest first.
        """
        with self._store.reading() as tx:
            return tx.audit.every(study_id)

    def inspector_is_open(self) -> bool:
        """Whether visitors may use the inspector.

        Returns
        -------
        bool
            False while an open study keeps it closed: the inspector shows EIC.
        """
        with self._store.reading() as tx:
            now = self._clock.now()
            return all(
                study.design.inspector_open_during_study or not study.takes_votes(now)
                for study in tx.studies.every()
            )

    # --- inside ---

    def _draft(self, tx: Tx, study_id: int, version_seen: int | None = None) -> Study:
        study = require_study(tx, study_id)
        if study.status != StudyStatus.DRAFT:
            raise FrozenStudyError("this study is frozen", hint="make a new draft to change it")
        refuse_if_changed(tx, study_id, version_seen)
        return study

    def _check_name(self, tx: Tx, name: str, study_id: int | None) -> None:
        if not 1 <= len(name.strip()) <= 100:
            raise DesignError("a study's name has 1 to 100 characters", field="name")
        other = tx.studies.by_name(name.strip())
        if other is not None and other.id != study_id:
            raise DesignError(f"there is a study `{name.strip()}` already", field="name")

    def _note(self, tx: Tx, study_id: int, action: str, detail: str) -> None:
        tx.audit.add(self._clock.now(), self._actor, action, study_id, detail)

    def _drop(self, study_id: int, pair_id: int, reason: str) -> StudyPair:
        with self._store.writing() as tx:
            self._draft(tx, study_id)
            if tx.materials.pair(study_id, pair_id) is None:
                raise NotFoundError("there is no such pair in this study")
            tx.materials.drop(pair_id, reason)
            pair = tx.materials.pair(study_id, pair_id)
            assert pair is not None
            did = "dropped a pair" if reason else "took a pair back"
            self._note(tx, study_id, did, f"{pair.name} {reason}".strip())
            return pair

    def _snapshot(
        self, tx: Tx, study_id: int
    ) -> tuple[Study, tuple[Problem, ...], tuple[StudyPair, ...], Pool | None]:
        return (
            require_study(tx, study_id),
            tx.materials.problems(study_id),
            tx.materials.pairs(study_id, PairKind.MAIN),
            tx.materials.pool(study_id),
        )


def _changed(study: Study, name: str | None, design: StudyDesign | None) -> str:
    changed = ["name"] if name is not None and name != study.name else []
    if design is not None:
        before, after = study.design.to_json(), design.to_json()
        changed += [key for key in after if after[key] != before[key]]
    return ", ".join(changed)
