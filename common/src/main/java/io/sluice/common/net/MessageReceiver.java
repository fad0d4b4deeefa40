package io.sluice.common.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.frame.FrameFormatException;
import io.sluice.common.frame.FrameFormatException.Reason;
import io.sluice.common.frame.FrameHeader;
import io.sluice.common.frame.FrameLimits;
import java.io.IOException;
import java.io.InputStream;

/**
 * Puts the messages of a {@link DataExchange} stream together to frames. The stream's owner asks
 * {@link #wantsMessage} before it requests a message, and so never holds one that has no place yet.
 * Belongs to the stream's serial executor; the states are those of {@link FrameReceiver}.
 */
public final class MessageReceiver {
  private enum State {
    HEAD,
    AWAITING_BODY_MEMORY,
    BODY,
    DISCARD,
    ENDED
  }

  private final ByteBufAllocator allocator;
  private final FrameSink sink;

  private FrameLimits limits;
  private State state = State.HEAD;
  private boolean paused;
  private FrameHeader header;
  private ByteBuf body;
  private int discardRemaining;
  private long receivedBytes;

  /**
   * @param limits of the frames to come, until {@link #limits} sets others
   */
  public MessageReceiver(ByteBufAllocator allocator, FrameLimits limits, FrameSink sink) {
    this.allocator = allocator;
    this.limits = limits;
    this.sink = sink;
  }

  /** Limits of the frames whose header has not been read yet. */
  public void limits(FrameLimits limits) {
    this.limits = limits;
  }

  /** Bytes received so far: standing still means that the peer is silent. */
  public long receivedBytes() {
    return receivedBytes;
  }

  /** Whether a body has begun and is not whole. */
  public boolean receivingBody() {
    return state == State.BODY || state == State.DISCARD;
  }

  /** Whether a further message has a place to go to. */
  public boolean wantsMessage() {
    return switch (state) {
      case HEAD -> !paused;
      case BODY, DISCARD -> true;
      case AWAITING_BODY_MEMORY, ENDED -> false;
    };
  }

  /** Wants no further frame, or does again. One that has begun is received to its end. */
  public void paused(boolean paused) {
    this.paused = paused;
  }

  /**
   * Where the body announced by {@link FrameSink#onHead} goes.
   *
   * @param target takes: empty, with exactly the body's length of writable bytes
   */
  public void receiveBody(ByteBuf target) {
    if (state == State.ENDED) {
      target.release();
      return;
    }
    if (state != State.AWAITING_BODY_MEMORY || target.writableBytes() != header.bodyLength()) {
      int writable = target.writableBytes();
      target.release();
      throw new IllegalStateException(
          "body target of " + writable + " bytes does not fit state " + state);
    }
    body = target;
    state = State.BODY;
  }

  /** Receives the announced body and drops it. The sink is not told. */
  public void discardBody() {
    if (state == State.ENDED) {
      return;
    }
    if (state != State.AWAITING_BODY_MEMORY) {
      throw new IllegalStateException("no body is due in state " + state);
    }
    discardRemaining = header.bodyLength();
    state = State.DISCARD;
  }

  /** Takes nothing more and frees what is half received. */
  public void end() {
    state = State.ENDED;
    if (body != null) {
      body.release();
      body = null;
    }
  }

  /**
   * Consumes a message that was wanted.
   *
   * @param message borrows
   */
  public void onMessage(InputStream message) throws IOException {
    switch (state) {
      case HEAD -> onHead(message);
      case BODY -> onBodyPart(message);
      case DISCARD -> onDiscarded(message);
      case AWAITING_BODY_MEMORY, ENDED -> {}
    }
  }

  private void onHead(InputStream message) throws IOException {
    int length = message.available();
    receivedBytes += length;
    int limit = FrameHeader.LENGTH + limits.maxHeadLength();
    if (length > limit) {
      malformed(
          0,
          new FrameFormatException(
              Reason.TOO_LARGE, "frame: message of " + length + " bytes, limit " + limit));
      return;
    }
    ByteBuf frame = allocator.buffer(Math.max(length, 64), Math.max(length, 64));
    try {
      DataExchange.read(message, frame);
      try {
        header = FrameHeader.read(frame, 0, limits);
        if (FrameHeader.LENGTH + header.headLength() != length) {
          throw new FrameFormatException(
              Reason.BAD_HEAD,
              "frame "
                  + header.type()
                  + ": message of "
                  + length
                  + " bytes, expected header and head of "
                  + (FrameHeader.LENGTH + header.headLength()));
        }
        header.verifyHead(frame, 0);
      } catch (FrameFormatException e) {
        malformed(requestIdFor(e, frame), e);
        return;
      }
      state = header.bodyLength() > 0 ? State.AWAITING_BODY_MEMORY : State.HEAD;
      sink.onHead(header, frame);
    } finally {
      frame.release();
    }
  }

  /** The request that malformed header bytes belong to, as far as they can be trusted, else 0. */
  static long requestIdFor(FrameFormatException problem, ByteBuf frame) {
    return switch (problem.reason()) {
      case TRUNCATED, BAD_MAGIC, BAD_VERSION -> 0;
      case BAD_TYPE, BAD_FLAGS, BAD_CHECKSUM, BAD_HEAD, TOO_LARGE ->
          FrameHeader.requestId(frame, 0);
    };
  }

  private void onBodyPart(InputStream message) throws IOException {
    int length = message.available();
    if (!isPart(length, body.writableBytes())) {
      return;
    }
    receivedBytes += length;
    DataExchange.read(message, body);
    if (!body.isWritable()) {
      ByteBuf whole = body;
      body = null;
      state = State.HEAD;
      sink.onBody(header, whole);
    }
  }

  private void onDiscarded(InputStream message) throws IOException {
    int length = message.available();
    if (!isPart(length, discardRemaining)) {
      return;
    }
    receivedBytes += length;
    discardRemaining -= length;
    if (discardRemaining == 0) {
      state = State.HEAD;
    }
  }

  private boolean isPart(int length, int missing) {
    int limit = Math.min(missing, DataExchange.MAX_BODY_PART_LENGTH);
    if (length >= 1 && length <= limit) {
      return true;
    }
    malformed(
        header.requestId(),
        new FrameFormatException(
            Reason.BAD_HEAD,
            "frame "
                + header.type()
                + ": part of a body of "
                + length
                + " bytes, expected 1 to "
                + limit));
    return false;
  }

  private void malformed(long requestId, FrameFormatException problem) {
    end();
    sink.onMalformed(requestId, problem);
  }
}
