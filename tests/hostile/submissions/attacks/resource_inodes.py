"""Makes a thousand empty files."""
import os

for number in range(1000):
    os.close(os.open(f"@TRACE@/many-{number}", os.O_CREAT | os.O_WRONLY))
