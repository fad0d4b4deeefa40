package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * The frames of one shuffle that are in memory, in the order of arrival. Guarded by the lock of its
 * {@link ShuffleLog}.
 */
final class FrameQueue {
  private LoggedFrame oldest;
  private LoggedFrame newest;
  private long arrivals;

  /** Number that the next frame, or restored run, gets. */
  long nextArrival() {
    return arrivals;
  }

  /** Uses up a number. */
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

  /** Adds a frame that was made with {@link #nextArrival}. */
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
    frame.state = LoggedFrame.State.GONE;
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

  /** Forgets all frames; their bodies are the caller's to release. */
  List<ByteBuf> clear() {
    List<ByteBuf> bodies = new ArrayList<>();
    for (LoggedFrame frame = oldest; frame != null; frame = frame.next) {
      frame.state = LoggedFrame.State.GONE;
      bodies.add(frame.body);
    }
    oldest = null;
    newest = null;
    return bodies;
  }
}
