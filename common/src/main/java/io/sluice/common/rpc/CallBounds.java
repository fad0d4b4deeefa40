package io.sluice.common.rpc;

import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.concurrent.FastThreadLocal;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.error.PeerText;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Enforces size and time limits of each call of a gRPC port. gRPC has one message size limit for a
 * whole port and no deadline unless the caller sets one. A tracer sees each part of a message when
 * it arrives, on the connection's event loop, and can end the call. Thread-safe.
 */
public final class CallBounds extends ServerStreamTracer.Factory {
  private static final Metadata.Key<String> ENCODING =
      Metadata.Key.of("grpc-encoding", Metadata.ASCII_STRING_MARSHALLER);

  private final CallLimits limits;
  private final ScheduledExecutorService timer;
  private final CallDenials denials;
  private final FastThreadLocal<StreamWindow> arriving = new FastThreadLocal<>();

  /**
   * @param timer ends calls; each task takes microseconds
   * @param denials receives ended calls
   */
  public CallBounds(CallLimits limits, ScheduledExecutorService timer, CallDenials denials) {
    this.limits = limits;
    this.timer = timer;
    this.denials = denials;
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    String encoding = headers.get(ENCODING);
    if (encoding != null && !encoding.equals("identity")) {
      // gRPC refuses the call, and quotes the encoding in the status.
      headers.discardAll(ENCODING);
      headers.put(ENCODING, PeerText.quoted(encoding));
    }
    return new BoundedCall(
        method,
        limits.of(method),
        limits.isStream(method),
        timer,
        denials,
        Optional.ofNullable(arriving.get()));
  }

  /** Handles the headers of a call, for which gRPC requests a tracer on the same thread. */
  interface Headers {
    void handle() throws Http2Exception;
  }

  /** Gives the window of a stream to the call that begins with some headers. */
  void begin(StreamWindow window, Headers headers) throws Http2Exception {
    arriving.set(window);
    try {
      headers.handle();
    } finally {
      arriving.remove();
    }
  }

  /** Maximum request length of any call, in bytes. */
  int largestMessage() {
    return limits.largest();
  }
}
