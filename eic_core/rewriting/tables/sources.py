"""The books and papers that recommend the rules."""

HAMMING = "Hamming, Numerical Methods for Scientists and Engineers, 2nd ed. 1973, ch. 3"
HIGHAM = "Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed. 2002"
GOLDBERG = "Goldberg, ACM Computing Surveys 23 (1991)"
KAHAN = "Kahan, Branch Cuts for Complex Elementary Functions, 1987"
ALGEBRA = "elementary algebra"

BLANCHARD = "Blanchard, Higham & Higham, IMA J. Numer. Anal. 41 (2021): log-sum-exp"
MAECHLER = "Mächler, Accurately computing log(1 - exp(-|a|)), 2012"
SINNOTT = "Sinnott, Virtues of the Haversine, Sky & Telescope 68 (1984)"
NEEDLES = "Kahan, Miscalculating Area and Angles of a Needle-like Triangle, 2014"
SMITH = "Smith, Communications of the ACM 5 (1962): complex division"
