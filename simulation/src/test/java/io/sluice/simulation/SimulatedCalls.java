package io.sluice.simulation;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.sluice.client.fake.VirtualTime;
import java.util.function.BooleanSupplier;

/**
 * Lets control calls take virtual time, and loses some of them. A call to a process that does not
 * run fails. Belongs to one thread.
 */
final class SimulatedCalls implements ClientInterceptor {
  private final VirtualTime time;
  private final SimulatedNetwork network;
  private final BooleanSupplier running;
  private final Runnable served;
  private final boolean blocking;

  /**
   * @param running whether the called process runs
   * @param served lets the called process decide, after a request has arrived
   * @param blocking whether the caller waits for its calls: time passes within them
   */
  SimulatedCalls(
      VirtualTime time,
      SimulatedNetwork network,
      BooleanSupplier running,
      Runnable served,
      boolean blocking) {
    this.time = time;
    this.network = network;
    this.running = running;
    this.served = served;
    this.blocking = blocking;
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    return new Call<>(method, options, next);
  }

  private void carry(Runnable work) {
    if (blocking) {
      time.advance(network.delayNanos());
      work.run();
    } else {
      time.schedule(network.delayNanos(), work);
    }
  }

  /** A unary call. */
  private final class Call<Q, R> extends ClientCall<Q, R> {
    private final MethodDescriptor<Q, R> method;
    private final CallOptions options;
    private final Channel next;
    private Listener<R> listener;
    private Metadata headers;
    private Q message;
    private boolean ended;

    /** Whether the called process decides: time passes, and the caller continues, after that. */
    private boolean serving;

    /** Carries the end of the call to the caller; null: the call has not ended. */
    private Runnable close;

    Call(MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      this.method = method;
      this.options = options;
      this.next = next;
    }

    @Override
    public void start(Listener<R> responses, Metadata requestHeaders) {
      listener = responses;
      headers = requestHeaders;
    }

    @Override
    public void request(int messages) {}

    @Override
    public void sendMessage(Q request) {
      message = request;
    }

    @Override
    public void halfClose() {
      carry(this::arrive);
    }

    private void arrive() {
      if (network.loses() || !running.getAsBoolean()) {
        end(Status.UNAVAILABLE, new Metadata(), null);
        return;
      }
      boolean replyIsLost = network.loses();
      serving = true;
      // Deadlines count real time.
      ClientCall<Q, R> real = next.newCall(method, options.withDeadline(null));
      real.start(
          new Listener<>() {
            private R reply;

            @Override
            public void onMessage(R response) {
              reply = response;
            }

            @Override
            public void onClose(Status status, Metadata trailers) {
              close =
                  () ->
                      carry(() -> end(replyIsLost ? Status.UNAVAILABLE : status, trailers, reply));
              if (!serving) {
                close.run();
              }
            }
          },
          headers);
      real.request(2);
      real.sendMessage(message);
      real.halfClose();
      served.run();
      serving = false;
      if (close != null) {
        close.run();
      }
    }

    private void end(Status status, Metadata trailers, R reply) {
      if (ended) {
        return;
      }
      ended = true;
      if (status.isOk()) {
        listener.onHeaders(new Metadata());
        listener.onMessage(reply);
      }
      listener.onClose(status, trailers);
    }

    @Override
    public void cancel(String reason, Throwable cause) {
      end(Status.CANCELLED.withDescription(reason).withCause(cause), new Metadata(), null);
    }
  }
}
