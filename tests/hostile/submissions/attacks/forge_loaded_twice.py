"""Says twice that it has been loaded: all later answers come one too late."""
import sys

frame = sys._getframe()
while "stream" not in frame.f_locals:
    frame = frame.f_back
wire, model = sys.modules["autograder.protocol.wire"], sys.modules["autograder.protocol"]
frame.f_locals["stream"].write(wire.encode(model.Loaded(frame.f_locals["request"].nonce)))
