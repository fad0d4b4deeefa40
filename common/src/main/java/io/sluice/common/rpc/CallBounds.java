package io.sluice.common.rpc;

import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.error.PeerText;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Gives each call of a gRPC port its bounds. gRPC knows one message size for a whole port and looks
 * at no clock unless the caller wants it; a tracer sees each part of a message as it arrives, on
 * the connection's event loop, and may end the call there. Thread-safe.
 */
public final class CallBounds extends ServerStreamTracer.Factory {
  private static final Metadata.Key<String> ENCODING =
      Metadata.Key.of("grpc-encoding", Metadata.ASCII_STRING_MARSHALLER);

  private final CallLimits limits;
  private final ScheduledExecutorService timer;
  private final CallDenials denials;

  /**
   * @param timer ends calls; takes microseconds of it
   * @param denials hears of calls that were ended
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
      // gRPC refuses it, and repeats it in the status.
      headers.discardAll(ENCODING);
      headers.put(ENCODING, PeerText.quoted(encoding));
    }
    return new BoundedCall(method, limits.of(method), limits.isStream(method), timer, denials);
  }

  /** The longest request of any call, in bytes. */
  int largestMessage() {
    return limits.largest();
  }
}
