package io.sluice.server.transport;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.error.UnexpectedFailure;
import io.sluice.common.frame.FrameFormatException;
import io.sluice.common.frame.FrameHeader;
import io.sluice.common.frame.FrameLimits;
import io.sluice.common.net.DataExchange;
import io.sluice.common.net.FrameSink;
import io.sluice.common.net.MessageReceiver;
import io.sluice.server.service.DataService;
import io.sluice.server.service.FetchedBytes;
import io.sluice.server.service.FetchedBytes.FilePiece;
import io.sluice.server.service.FetchedBytes.MemoryPiece;
import io.sluice.server.service.FetchedBytes.Piece;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frames over one gRPC stream. gRPC delivers a stream's events one after the other but on changing
 * threads; so the connection's serial executor is this object's lock.
 */
final class GrpcCarrier implements Carrier, FrameSink {
  private static final Logger LOG = LoggerFactory.getLogger(GrpcCarrier.class);

  /** Replies queued beyond this keep further requests from being taken. */
  private static final int REPLIES_HIGH_MARK = 4 << 20;

  /** A further message is given to gRPC while it holds less than this unsent of the stream. */
  private static final int SEND_THRESHOLD = DataExchange.BODY_PART_LENGTH;

  private final ServerCall<InputStream, InputStream> call;
  private final ByteBufAllocator allocator;
  private final TransportCounters counters;
  private final Executor executor;
  private final LongSupplier nanoTime;
  private final Consumer<GrpcCarrier> onEnd;
  private final ServerConnection connection;
  private final MessageReceiver receiver;
  private final SilenceWatch silence;
  private final Deque<Outgoing> outgoing = new ArrayDeque<>();

  private boolean requested;
  private boolean ended;
  private boolean closeWhenSent;
  private boolean sending;
  private long outgoingBytes;
  private long sentMessages;
  private Future<?> silenceCheck;

  /** A frame on its way out: the head, then the body's pieces from {@code piece} and {@code at}. */
  private static final class Outgoing {
    ByteBuf headerAndHead;
    final FetchedBytes body;
    int piece;
    int at;

    Outgoing(ByteBuf headerAndHead, FetchedBytes body) {
      this.headerAndHead = headerAndHead;
      this.body = body;
    }

    boolean done() {
      return headerAndHead == null && (body == null || piece == body.pieces().size());
    }

    void close() {
      if (headerAndHead != null) {
        headerAndHead.release();
        headerAndHead = null;
      }
      if (body != null) {
        body.close();
      }
    }
  }

  GrpcCarrier(
      ServerCall<InputStream, InputStream> call,
      ByteBufAllocator allocator,
      DataService service,
      DataTransportConfig config,
      TransportCounters counters,
      Executor executor,
      LongSupplier nanoTime,
      Consumer<GrpcCarrier> onEnd) {
    this.call = call;
    this.allocator = allocator;
    this.counters = counters;
    this.executor = executor;
    this.nanoTime = nanoTime;
    this.onEnd = onEnd;
    this.connection = new ServerConnection(service, config, counters, this);
    this.receiver = new MessageReceiver(allocator, ServerConnection.HELLO_LIMITS, this);
    this.silence = new SilenceWatch(config, nanoTime.getAsLong());
  }

  synchronized void start(ScheduledExecutorService scheduler) {
    long everyMs = silence.intervalMs();
    silenceCheck =
        scheduler.scheduleWithFixedDelay(
            this::checkSilence, everyMs, everyMs, TimeUnit.MILLISECONDS);
    call.setOnReadyThreshold(SEND_THRESHOLD);
    call.sendHeaders(new Metadata());
    requestIfWanted();
  }

  ServerCall.Listener<InputStream> listener() {
    return new ServerCall.Listener<>() {
      @Override
      public void onMessage(InputStream message) {
        GrpcCarrier.this.onMessage(message);
      }

      @Override
      public void onReady() {
        GrpcCarrier.this.onReady();
      }

      @Override
      public void onHalfClose() {
        fail(Status.OK);
      }

      @Override
      public void onCancel() {
        end();
      }

      @Override
      public void onComplete() {
        end();
      }
    };
  }

  private synchronized void onMessage(InputStream received) {
    requested = false;
    try (InputStream message = received) {
      if (ended) {
        return;
      }
      receiver.onMessage(message);
    } catch (IOException e) {
      fail(Status.INTERNAL.withDescription("message cannot be read: " + e.getMessage()));
      return;
    } catch (RuntimeException e) {
      fail(
          Status.INTERNAL.withDescription(
              UnexpectedFailure.logged(LOG, "data connection", peer(), e).getMessage()));
      return;
    }
    requestIfWanted();
  }

  private synchronized void onReady() {
    sendQueued();
  }

  private void requestIfWanted() {
    if (!requested && !ended && receiver.wantsMessage()) {
      requested = true;
      call.request(1);
    }
  }

  /** Ends the stream with a status, now. Called by any thread. */
  synchronized void fail(Status status) {
    if (!ended) {
      call.close(status, new Metadata());
      end();
    }
  }

  private synchronized void end() {
    if (ended) {
      return;
    }
    ended = true;
    silenceCheck.cancel(false);
    receiver.end();
    outgoing.forEach(Outgoing::close);
    outgoing.clear();
    outgoingBytes = 0;
    connection.onClosed();
    counters.connectionClosed(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    onEnd.accept(this);
  }

  private synchronized void checkSilence() {
    if (ended) {
      return;
    }
    String overdue =
        silence.overdue(
            nanoTime.getAsLong(),
            new SilenceWatch.Look(
                connection.greeted(),
                receiver.receivedBytes(),
                false,
                receiver.receivingBody(),
                outgoing.isEmpty() ? 0 : sentMessages + 1));
    if (overdue != null) {
      connection.onTimeout(overdue);
      fail(
          Status.DEADLINE_EXCEEDED.withDescription(
              "the server has waited too long for " + overdue));
    }
  }

  // What the connection asks for, under the lock.

  @Override
  public ByteBufAllocator allocator() {
    return allocator;
  }

  @Override
  public String peer() {
    return String.valueOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
  }

  @Override
  public void execute(Runnable task, Runnable otherwise) {
    try {
      executor.execute(() -> runLocked(task, otherwise));
    } catch (RejectedExecutionException e) {
      // The server is shutting down, and its streams with it.
      otherwise.run();
    }
  }

  private synchronized void runLocked(Runnable task, Runnable otherwise) {
    if (ended) {
      otherwise.run();
      return;
    }
    task.run();
    requestIfWanted();
  }

  @Override
  public void limits(FrameLimits limits) {
    receiver.limits(limits);
  }

  @Override
  public void send(ByteBuf headerAndHead) {
    queue(headerAndHead.readableBytes(), new Outgoing(headerAndHead, null));
  }

  @Override
  public void send(ByteBuf headerAndHead, FetchedBytes body) {
    queue((long) headerAndHead.readableBytes() + body.length(), new Outgoing(headerAndHead, body));
  }

  private void queue(long bytes, Outgoing frame) {
    if (ended) {
      frame.close();
      return;
    }
    outgoing.add(frame);
    outgoingBytes += bytes;
    sendQueued();
  }

  /** Sends while gRPC takes more. */
  private void sendQueued() {
    if (sending) {
      return;
    }
    sending = true;
    try {
      boolean wasWritable = isWritable();
      while (!ended && !outgoing.isEmpty() && call.isReady()) {
        Outgoing frame = outgoing.peek();
        sendNext(frame);
        if (frame.done()) {
          outgoing.remove();
          frame.close();
        }
      }
      if (ended) {
        return;
      }
      if (closeWhenSent && outgoing.isEmpty()) {
        fail(Status.OK);
        return;
      }
      if (!wasWritable && isWritable()) {
        connection.onWritabilityChanged();
        requestIfWanted();
      }
    } catch (IOException e) {
      LOG.warn("fetched bytes cannot be read peer={} problem={}", peer(), e.toString());
      fail(Status.DATA_LOSS.withDescription("fetched bytes cannot be read: " + e.getMessage()));
    } finally {
      sending = false;
    }
  }

  private void sendNext(Outgoing frame) throws IOException {
    ByteBuf message;
    if (frame.headerAndHead != null) {
      message = frame.headerAndHead;
      frame.headerAndHead = null;
    } else {
      message = nextPart(frame);
    }
    try {
      outgoingBytes -= message.readableBytes();
      sentMessages++;
      call.sendMessage(DataExchange.message(message));
    } finally {
      message.release();
    }
  }

  /**
   * The next part of a body: of one piece as it lies in memory, if that fills a part, else
   * collected from several. Returns owned.
   */
  private ByteBuf nextPart(Outgoing frame) throws IOException {
    int left = 0;
    for (int i = frame.piece; i < frame.body.pieces().size(); i++) {
      left += frame.body.pieces().get(i).length();
      if (left - frame.at >= DataExchange.BODY_PART_LENGTH) {
        break;
      }
    }
    int length = Math.min(left - frame.at, DataExchange.BODY_PART_LENGTH);
    if (frame.body.pieces().get(frame.piece) instanceof MemoryPiece memory
        && memory.length() - frame.at >= length) {
      ByteBuf buffer = memory.buffer();
      ByteBuf part = buffer.retainedSlice(buffer.readerIndex() + frame.at, length);
      advance(frame, length);
      return part;
    }
    ByteBuf part = allocator.directBuffer(length, length);
    try {
      while (part.isWritable()) {
        Piece piece = frame.body.pieces().get(frame.piece);
        int fromPiece = Math.min(part.writableBytes(), piece.length() - frame.at);
        append(part, piece, frame.at, fromPiece);
        advance(frame, fromPiece);
      }
      return part;
    } catch (IOException | RuntimeException e) {
      part.release();
      throw e;
    }
  }

  private static void advance(Outgoing frame, int length) {
    frame.at += length;
    if (frame.at == frame.body.pieces().get(frame.piece).length()) {
      frame.piece++;
      frame.at = 0;
    }
  }

  private static void append(ByteBuf part, Piece piece, int at, int length) throws IOException {
    if (piece instanceof MemoryPiece memory) {
      part.writeBytes(memory.buffer(), memory.buffer().readerIndex() + at, length);
      return;
    }
    FilePiece file = (FilePiece) piece;
    int left = length;
    while (left > 0) {
      long position = file.position() + at + (length - left);
      int read = part.writeBytes(file.channel(), position, left);
      if (read <= 0) {
        throw new EOFException("file ends at " + position + ", expected " + left + " bytes more");
      }
      left -= read;
    }
  }

  @Override
  public boolean isWritable() {
    return outgoingBytes < REPLIES_HIGH_MARK;
  }

  @Override
  public void receiveBody(ByteBuf target) {
    receiver.receiveBody(target);
  }

  @Override
  public void discardBody() {
    receiver.discardBody();
  }

  @Override
  public void reading(boolean wanted) {
    receiver.paused(!wanted);
  }

  @Override
  public void closeAfterSending() {
    receiver.end();
    closeWhenSent = true;
    executeClose();
  }

  private void executeClose() {
    // The reason may be queued by the caller's caller; close when this event has been handled.
    execute(this::sendQueued, () -> {});
  }

  // What the receiver brings, under the lock.

  @Override
  public void onHead(FrameHeader header, ByteBuf frame) {
    connection.onHead(header, frame);
  }

  @Override
  public void onBody(FrameHeader header, ByteBuf body) {
    connection.onBody(header, body);
  }

  @Override
  public void onMalformed(long requestId, FrameFormatException problem) {
    connection.onMalformed(requestId, problem);
  }
}
