"""The demo's studies, made at the first start through the services that an organiser uses."""

from __future__ import annotations

from study.demo import demo_pool_path, demo_problems
from study.design import StudyDesign, StudyStatus
from study.matching import MatchingRules
from study.material import Column, Pool, Problem, Study
from study.organising import OrganiserService
from study.pairing import match_study, read_upload

OPEN_NAME = "Demo study"
DRAFT_NAME = "Demo draft"
CONTACT = "nobody: this is a demo, and your answers stay on this computer"


def problems_of_demo() -> tuple[Problem, ...]:
    return tuple(
        Problem(
            problem.name,
            problem.path.read_text(encoding="utf-8"),
            problem.title,
            problem.description,
            tuple(Column(c.name, c.unit, c.meaning) for c in (*problem.inputs, problem.target)),
        )
        for problem in demo_problems()
    )


def seed_demo(service: OrganiserService, base_url: str) -> None:
    """Make an open study, and a draft to play with; what is there already stays as it is."""
    studies = {study.name: study for study in service.studies()}
    if studies:
        _follow_address(service, studies.get(OPEN_NAME), base_url)
    if OPEN_NAME in studies and studies[OPEN_NAME].status != StudyStatus.DRAFT:
        return
    problems = problems_of_demo()
    pool = read_upload(demo_pool_path().name, demo_pool_path().read_bytes(), problems, jobs=1).pool
    # The open study comes last: until it is there, another start does it all again.
    for name in (DRAFT_NAME, OPEN_NAME):
        if name in studies and studies[name].status == StudyStatus.DRAFT:
            service.delete_draft(studies[name].id)
        _make(service, name, problems, pool, base_url, is_open=name == OPEN_NAME)


def _make(
    service: OrganiserService,
    name: str,
    problems: tuple[Problem, ...],
    pool: Pool,
    base_url: str,
    *,
    is_open: bool,
) -> None:
    design = StudyDesign(
        title="Which formula is easier to interpret?",
        contact=CONTACT if is_open else "",
        public_base_url=base_url,
        expected_minutes=10,
    )
    study = service.create(name, design)
    service.set_problems(study.id, problems)
    service.set_pool(study.id, pool)
    match_study(service, study.id, MatchingRules())
    if is_open:
        service.freeze(study.id)


def _follow_address(service: OrganiserService, study: Study | None, base_url: str) -> None:
    # The demo may be started on another port: new links must follow.
    if study is not None and study.design.public_base_url != base_url:
        design = StudyDesign.from_json({**study.design.to_json(), "public_base_url": base_url})
        service.edit(study.id, design=design)
