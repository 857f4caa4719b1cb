"""The assignment: its place in the course, its title, and the points of its parts."""

ORDER = 7
TITLE = "Reading attention"
PARTS = {
    "row_entropy": 5,
    "temperature_curve": 7,
    "sharpness": 5,
    "coverage": 6,
    "diagonal_offset": 10,
    "alignment_links": 5,
    "alignment_error_rate": 8,
    "classify_pattern": 9,
    "diagnose_failure": 7,
    "attention_geometry": 10,
    "gradient_paths": 11,
    "gradient_norms": 7,
    "permutation_test": 5,
    "ablation_effects": 3,
    "rank_agreement": 2,
}
