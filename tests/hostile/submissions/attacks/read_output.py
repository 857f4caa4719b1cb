"""Opens what was written about other students."""
raise RuntimeError("STO" "LEN " + open("@OUT@/grades.csv").read())
