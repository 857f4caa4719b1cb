"""Writes 64 MB into the folder that it starts in, and into temporary ones."""
import tempfile

for place in (".", "/tmp", "/dev/shm", "/var/tmp"):
    try:
        with tempfile.NamedTemporaryFile(dir=place) as file:
            for _ in range(64):
                file.write(bytes(1 << 20))
            file.flush()
    except OSError:
        continue
    raise RuntimeError("STO" "LEN disk: " + place)
raise OSError("nowhere")
