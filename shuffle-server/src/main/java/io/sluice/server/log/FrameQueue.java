package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * Frames of one shuffle in memory, in the order of arrival. Guarded by the lock of its {@link
 * ShuffleLog}.
 */
final class FrameQueue {
  private LoggedFrame oldest;
  private LoggedFrame newest;
  private long arrivals;

  /** Arrival number of the next frame or restored run. */
  long nextArrival() {
    return arrivals;
  }

  /** Returns the next arrival number and advances it. */
  long takeArrival() {
    return arrivals++;
  }

  LoggedFrame oldestBuffered() {
    LoggedFrame frame = oldest;
    while (frame != null && frame.state != LoggedFrame.State.BUFFERED) {
      frame = frame.next;
    }
    return frame;
  }

  /** Appends a frame that was created with {@link #nextArrival}. */
  void link(LoggedFrame frame) {
    arrivals++;
    frame.previous = newest;
    if (newest == null) {
      oldest = frame;
    } else {
      newest.next = frame;
    }
    newest = frame;
  }

  void unlink(LoggedFrame frame) {
    frame.state = LoggedFrame.State.REMOVED;
    if (frame.previous == null) {
      oldest = frame.next;
    } else {
      frame.previous.next = frame.next;
    }
    if (frame.next == null) {
      newest = frame.previous;
    } else {
      frame.next.previous = frame.previous;
    }
  }

  /** Removes all frames. The caller must release the returned bodies. */
  List<ByteBuf> clear() {
    List<ByteBuf> bodies = new ArrayList<>();
    for (LoggedFrame frame = oldest; frame != null; frame = frame.next) {
      frame.state = LoggedFrame.State.REMOVED;
      bodies.add(frame.body);
    }
    oldest = null;
    newest = null;
    return bodies;
  }
}
