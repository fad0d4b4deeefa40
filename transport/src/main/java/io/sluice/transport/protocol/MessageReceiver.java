package io.sluice.transport.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.transport.protocol.FrameFormatException.Reason;
import java.io.IOException;
import java.io.InputStream;

/**
 * Assembles the messages of a {@link DataExchange} stream into frames. The owner of the stream
 * checks {@link #wantsMessage} before it requests a message, so that memory for each message is
 * already allocated. Confined to the stream's serial executor; the states are those of {@link
 * FrameReceiver}.
 */
public final class MessageReceiver implements FrameSource {
  private enum State {
    HEAD,
    AWAITING_HEAD_MEMORY,
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
  // Header and received part of the head; null between frames.
  private ByteBuf frame;
  private FrameHeader header;
  private ByteBuf body;
  private int discardRemaining;
  private long receivedBytes;
  private long receivedFrames;

  /**
   * @param limits initial frame limits, until {@link #limits} changes them
   */
  public MessageReceiver(ByteBufAllocator allocator, FrameLimits limits, FrameSink sink) {
    this.allocator = allocator;
    this.limits = limits;
    this.sink = sink;
  }

  @Override
  public void limits(FrameLimits limits) {
    this.limits = limits;
  }

  @Override
  public long receivedBytes() {
    return receivedBytes;
  }

  @Override
  public long receivedFrames() {
    return receivedFrames;
  }

  @Override
  public boolean receivingHead() {
    return state == State.HEAD && frame != null;
  }

  @Override
  public boolean receivingBody() {
    return state == State.BODY || state == State.DISCARD;
  }

  /** Bytes of the body that were not received yet; 0 unless a body is being received. */
  public int missingBodyBytes() {
    return state == State.BODY ? body.writableBytes() : 0;
  }

  /** Whether the next message can be consumed. */
  public boolean wantsMessage() {
    return switch (state) {
      case HEAD -> !paused || frame != null;
      case BODY, DISCARD -> true;
      case AWAITING_HEAD_MEMORY, AWAITING_BODY_MEMORY, ENDED -> false;
    };
  }

  @Override
  public void paused(boolean paused) {
    this.paused = paused;
  }

  @Override
  public void receiveHead() {
    if (state == State.AWAITING_HEAD_MEMORY) {
      state = State.HEAD;
      deliverWholeHead();
    }
  }

  @Override
  public void receiveBody(ByteBuf target) {
    if (state == State.ENDED) {
      target.release();
      return;
    }
    if (state != State.AWAITING_BODY_MEMORY || target.writableBytes() != header.bodyLength()) {
      int writable = target.writableBytes();
      target.release();
      throw new IllegalStateException(
          "unexpected body target of " + writable + " bytes, state=" + state);
    }
    body = target;
    state = State.BODY;
  }

  @Override
  public void discardBody() {
    if (state == State.ENDED) {
      return;
    }
    if (state != State.AWAITING_BODY_MEMORY) {
      throw new IllegalStateException("not waiting for body memory, state=" + state);
    }
    discardRemaining = header.bodyLength();
    state = State.DISCARD;
  }

  @Override
  public void end() {
    state = State.ENDED;
    if (frame != null) {
      frame.release();
      frame = null;
    }
    if (body != null) {
      body.release();
      body = null;
    }
  }

  /**
   * Consumes a requested message.
   *
   * @param message borrowed
   */
  public void onMessage(InputStream message) throws IOException {
    switch (state) {
      case HEAD -> onHead(message);
      case BODY -> onBodyPart(message);
      case DISCARD -> onDiscarded(message);
      case AWAITING_HEAD_MEMORY, AWAITING_BODY_MEMORY, ENDED -> {}
    }
  }

  private void onHead(InputStream message) throws IOException {
    int length = message.available();
    receivedBytes += length;
    if (length < 1 || length > DataExchange.MAX_MESSAGE_LENGTH) {
      malformed(
          frame == null ? 0 : header.requestId(),
          new FrameFormatException(
              Reason.TOO_LARGE,
              "frame: message of "
                  + length
                  + " bytes, expected 1 to "
                  + DataExchange.MAX_MESSAGE_LENGTH));
      return;
    }
    if (frame != null) {
      onRestOfHead(message, length);
      return;
    }
    // Read only the header of the message until the header is accepted.
    frame = allocator.buffer(FrameHeader.LENGTH);
    read(message, Math.min(length, FrameHeader.LENGTH));
    try {
      header = FrameHeader.read(frame, 0, limits);
    } catch (FrameFormatException e) {
      malformed(requestIdFor(e, frame), e);
      return;
    }
    if (!fitsHead(length - FrameHeader.LENGTH)) {
      return;
    }
    state = State.AWAITING_HEAD_MEMORY;
    boolean wanted = sink.onHeader(header);
    if (state == State.ENDED) {
      return;
    }
    read(message, length - FrameHeader.LENGTH);
    if (wanted) {
      receiveHead();
    }
  }

  private void onRestOfHead(InputStream message, int length) throws IOException {
    if (fitsHead(length)) {
      read(message, length);
      deliverWholeHead();
    }
  }

  /** Whether a message does not exceed the rest of the head. */
  private boolean fitsHead(int length) {
    int missing = FrameHeader.LENGTH + header.headLength() - frame.readableBytes();
    if (length <= missing) {
      return true;
    }
    malformedFrame(
        "message of %d bytes, expected at most the remaining %d bytes of its head"
            .formatted(length, missing));
    return false;
  }

  /** Appends bytes of a message to the frame, whose memory grows with the received bytes. */
  private void read(InputStream message, int length) throws IOException {
    if (length > 0) {
      frame.ensureWritable(length);
      ByteBuf target = frame.slice(frame.writerIndex(), length).clear();
      frame.writerIndex(frame.writerIndex() + DataExchange.read(message, target));
    }
  }

  private void deliverWholeHead() {
    if (frame.readableBytes() < FrameHeader.LENGTH + header.headLength()) {
      return;
    }
    ByteBuf head = frame;
    frame = null;
    try {
      header.verifyHead(head, 0);
    } catch (FrameFormatException e) {
      long requestId = requestIdFor(e, head);
      head.release();
      malformed(requestId, e);
      return;
    }
    state = header.bodyLength() > 0 ? State.AWAITING_BODY_MEMORY : State.HEAD;
    receivedFrames += header.bodyLength() > 0 ? 0 : 1;
    try {
      sink.onHead(header, head);
    } finally {
      head.release();
    }
  }

  /** The request id of a malformed header if it is reliable, else 0. */
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
      receivedFrames++;
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
      receivedFrames++;
    }
  }

  private boolean isPart(int length, int missing) {
    int limit = Math.min(missing, DataExchange.MAX_MESSAGE_LENGTH);
    if (length >= 1 && length <= limit) {
      return true;
    }
    malformedFrame("part of a body of %d bytes, expected 1 to %d".formatted(length, limit));
    return false;
  }

  private void malformedFrame(String problem) {
    malformed(
        header.requestId(),
        new FrameFormatException(Reason.BAD_HEAD, "frame " + header.type() + ": " + problem));
  }

  private void malformed(long requestId, FrameFormatException problem) {
    end();
    sink.onMalformed(requestId, problem);
  }
}
