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
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What one call may cost: its messages have a longest length and are not cut into crumbs; a call
 * with one request and one reply has a longest time. A call beyond that is reset, and what had
 * arrived of its message is freed.
 *
 * <p>gRPC calls the methods of a tracer on the connection's event loop, but for {@link
 * #filterContext} and {@link #serverCallStarted}. Those of this class itself are thread-safe.
 */
public final class BoundedCall extends ServerStreamTracer {
  /**
   * From the headers of a call to the last byte of its reply. The longest deadline that our own
   * callers set is shorter, and each handler answers within milliseconds or has a deadline.
   */
  static final long CALL_SECONDS = 60;

  /** For a peer to take the end of a stream that the server has closed. */
  private static final long CLOSE_SECONDS = 10;

  /**
   * Parts that a message may arrive in, beside one for each so many bytes: each costs some 200
   * bytes of heap. HTTP/2 frames of gRPC have 16 KiB, but for the last and where a window ends.
   */
  private static final int PARTS = 16;

  private static final int LEAST_PART_BYTES = 256;

  private static final Context.Key<BoundedCall> KEY = Context.key("sluice-bounded-call");

  private final String method;
  private final boolean isStream;
  private final ScheduledExecutorService timer;
  private final CallDenials denials;
  private volatile int maxMessageBytes;
  private volatile Context.CancellableContext context;
  private volatile boolean refused;
  private volatile Attributes transport = Attributes.EMPTY;

  // Of the message that arrives. Owned by the event loop.
  private int bytes;
  private int parts;

  BoundedCall(
      String method,
      int maxMessageBytes,
      boolean isStream,
      ScheduledExecutorService timer,
      CallDenials denials) {
    this.method = method;
    this.maxMessageBytes = maxMessageBytes;
    this.isStream = isStream;
    this.timer = timer;
    this.denials = denials;
  }

  /** Of the call that the current thread handles; null on a port without bounds. */
  public static BoundedCall current() {
    return KEY.get();
  }

  /** The longest message from the next one on. */
  public void maxMessageBytes(int length) {
    maxMessageBytes = length;
  }

  /**
   * The service has closed the stream. gRPC keeps what it has not sent until the peer takes it or
   * the stream is reset, which is done soon.
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
      throw refused("request of more than " + max + " bytes, the most for this call");
    }
    if (parts > PARTS + max / LEAST_PART_BYTES) {
      throw refused("request in more than " + (parts - 1) + " parts");
    }
  }

  /** Whether a message was too long, which has ended the call. */
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
    Context.CancellableContext open = context;
    if (open == null) {
      return;
    }
    if (open.cancellationCause() instanceof TimeoutException) {
      denied(
          Cause.TOO_SLOW,
          isStream
              ? "the end of the stream was not taken within " + CLOSE_SECONDS + " s"
              : "call not over after " + CALL_SECONDS + " s");
    }
    // Ends the timer.
    open.cancel(null);
  }

  /** Thrown for a peer's mistake, not for ours: where does not matter, and costs time. */
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
