package io.sluice.it.hostile;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.proto.Error;
import io.sluice.proto.Status;
import java.io.IOException;

/** A server refused a HELLO or a PROOF. */
final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Status status;

  /**
   * @param frame frame of the answer; null if the connection was closed
   */
  RefusedException(FramePeer.Frame frame) throws InvalidProtocolBufferException {
    super(text(frame));
    this.status =
        frame == null || frame.type() != Frames.ERROR
            ? Status.UNRECOGNIZED
            : Error.parseFrom(frame.head()).getStatus();
  }

  private static String text(FramePeer.Frame frame) throws InvalidProtocolBufferException {
    if (frame == null) {
      return "the server ended the connection";
    }
    return frame.type() == Frames.ERROR
        ? "the server answered " + Error.parseFrom(frame.head())
        : "the server answered with a frame of type " + frame.type();
  }

  /** Status of the ERROR frame; UNRECOGNIZED if there was none. */
  Status status() {
    return status;
  }
}
