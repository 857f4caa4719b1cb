"""Starts fifty threads that wait."""
import threading

never = threading.Event()
threads = [threading.Thread(target=never.wait, args=(20,), daemon=True) for _ in range(50)]
for thread in threads:
    thread.start()
raise RuntimeError("STO" "LEN threads: " + str(threading.active_count()))
