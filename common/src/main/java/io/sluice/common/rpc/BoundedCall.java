package io.sluice.common.rpc;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Grpc;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.DeniedCall;
import io.sluice.common.auth.DeniedCall.Cause;
import io.sluice.common.net.PeerConnections;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Limits of one call: maximum message length, maximum number of parts of a message, and a time
 * limit for unary calls. A call beyond a limit is reset, and the received part of its message is
 * freed.
 *
 * <p>gRPC calls the methods of a tracer on the connection's event loop, except {@link
 * #filterContext} and {@link #serverCallStarted}. The other methods of this class are thread-safe.
 */
public final class BoundedCall extends ServerStreamTracer {
  /**
   * Time limit from the headers of a call to the last byte of its reply. All deadlines set by
   * Sluice clients are shorter, and each handler replies within milliseconds or has a deadline.
   */
  static final long CALL_SECONDS = 60;

  /** Time for a peer to read the end of a stream that the server has closed. */
  private static final long CLOSE_SECONDS = 10;

  /**
   * Maximum number of parts of a message, in addition to one per {@link #MIN_PART_BYTES}. Each part
   * costs about 200 bytes of heap. HTTP/2 frames of gRPC have 16 KiB, except the last one and at
   * the end of a window.
   */
  private static final int PARTS = 16;

  private static final int MIN_PART_BYTES = 256;

  private static final Context.Key<BoundedCall> KEY = Context.key("sluice-bounded-call");

  private final String method;
  private final boolean isStream;
  private final ScheduledExecutorService timer;
  private final CallDenials denials;
  private final Optional<StreamWindow> window;
  private volatile int maxMessageBytes;
  private volatile Context.CancellableContext context;
  private volatile boolean refused;
  private volatile Attributes transport = Attributes.EMPTY;

  // Of the message being received. Confined to the event loop.
  private int bytes;
  private int parts;

  BoundedCall(
      String method,
      int maxMessageBytes,
      boolean isStream,
      ScheduledExecutorService timer,
      CallDenials denials,
      Optional<StreamWindow> window) {
    this.window = window;
    this.method = method;
    this.maxMessageBytes = maxMessageBytes;
    this.isStream = isStream;
    this.timer = timer;
    this.denials = denials;
  }

  /** Limits of the call that the current thread handles; null on a port without limits. */
  public static BoundedCall current() {
    return KEY.get();
  }

  /** Sets the maximum length of the next and later messages. */
  public void maxMessageBytes(int length) {
    maxMessageBytes = length;
  }

  /**
   * The service has memory for the next bytes of messages: the peer may send them without waiting
   * for credit. They must be requested soon, because gRPC buffers them until then.
   */
  public void expect(int length) {
    window.ifPresent(open -> open.expect(length));
  }

  /**
   * The service has closed the stream. gRPC keeps unsent data until the peer reads it or the stream
   * is reset; this method schedules the reset.
   */
  public void closing() {
    Context.CancellableContext open = context;
    if (open != null && !open.isCancelled()) {
      Context.CancellableContext unused =
          open.withDeadlineAfter(CLOSE_SECONDS, TimeUnit.SECONDS, timer);
      unused.addListener(ended -> open.cancel(ended.cancellationCause()), Runnable::run);
    }
  }

  @Override
  public Context filterContext(Context before) {
    Context here = before.withValue(KEY, this);
    context =
        isStream
            ? here.withCancellation()
            : here.withDeadline(Deadline.after(CALL_SECONDS, TimeUnit.SECONDS), timer);
    return context;
  }

  @Override
  public void serverCallStarted(ServerCallInfo<?, ?> call) {
    transport = call.getAttributes();
  }

  @Override
  public void inboundMessage(int number) {
    bytes = 0;
    parts = 0;
  }

  @Override
  public void inboundWireSize(long length) {
    int max = maxMessageBytes;
    bytes += (int) length;
    parts++;
    if (bytes > max) {
      throw refused("request exceeds the limit of this call, maxBytes=" + max);
    }
    if (parts > PARTS + max / MIN_PART_BYTES) {
      throw refused("request has too many parts, maxParts=" + (parts - 1));
    }
  }

  /** Whether the call was ended because a message exceeded a limit. */
  public boolean wasRefused() {
    return refused;
  }

  private StatusRuntimeException refused(String reason) {
    refused = true;
    denied(Cause.TOO_LARGE, reason);
    return new Refused(Status.RESOURCE_EXHAUSTED.withDescription(reason));
  }

  private void denied(Cause cause, String reason) {
    denials.denied(
        new DeniedCall(
            cause,
            method,
            "",
            PeerConnections.text(transport.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)),
            reason));
  }

  @Override
  public void streamClosed(Status status) {
    window.ifPresent(StreamWindow::close);
    Context.CancellableContext open = context;
    if (open == null) {
      return;
    }
    if (open.cancellationCause() instanceof TimeoutException) {
      denied(
          Cause.TOO_SLOW,
          isStream
              ? "the client did not read the end of the stream within " + CLOSE_SECONDS + " s"
              : "call did not complete within " + CALL_SECONDS + " s");
    }
    // Cancels the timer.
    open.cancel(null);
  }

  /** Caused by a peer: a stack trace would cost time without being of use. */
  private static final class Refused extends StatusRuntimeException {
    private static final long serialVersionUID = 1;

    Refused(Status status) {
      super(status);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }
}
