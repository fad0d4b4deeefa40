package io.sluice.simulation;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.sluice.client.fake.VirtualTime;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A channel for unary calls in virtual time, without transport, so that thousands of heartbeats
 * cost little. Some calls are lost. A call to a process that does not run, or is cut off, fails; a
 * process that is paused answers late. Belongs to a simulation.
 */
final class SimulatedChannel extends ManagedChannel {
  private static final long UNREACHABLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final VirtualTime time;
  private final SimulatedNetwork network;
  private final String caller;
  private final Called called;
  private final boolean blocking;
  private final Channel intercepted;
  private boolean shutdown;

  /** The called process. */
  interface Called {
    String name();

    boolean isRunning();

    /** End of a pause of the process, or an earlier time. */
    long pausedUntilNanos();

    /** Returns the handler of a method of the running process. */
    ServerMethodDefinition<?, ?> method(String fullName);

    /** Lets the process decide, after a request has arrived. */
    void runPending();
  }

  /**
   * @param blocking whether the caller waits for its calls: time passes within them
   * @param proofs interceptors that authenticate the calls
   */
  SimulatedChannel(
      VirtualTime time,
      SimulatedNetwork network,
      String caller,
      Called called,
      boolean blocking,
      List<ClientInterceptor> proofs) {
    this.time = time;
    this.network = network;
    this.caller = caller;
    this.called = called;
    this.blocking = blocking;
    this.intercepted = ClientInterceptors.interceptForward(new Direct(), proofs);
  }

  @Override
  public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
    return intercepted.newCall(method, options);
  }

  @Override
  public String authority() {
    return called.name();
  }

  @Override
  public ConnectivityState getState(boolean connect) {
    return isCutOff() || !called.isRunning()
        ? ConnectivityState.TRANSIENT_FAILURE
        : ConnectivityState.READY;
  }

  @Override
  public ManagedChannel shutdown() {
    shutdown = true;
    return this;
  }

  @Override
  public ManagedChannel shutdownNow() {
    return shutdown();
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return shutdown;
  }

  private void carry(long nanos, Runnable work) {
    if (blocking) {
      time.advance(nanos);
      work.run();
    } else {
      time.schedule(nanos, work);
    }
  }

  private boolean isCutOff() {
    return network.isIsolated(caller) || network.isIsolated(called.name());
  }

  private final class Direct extends Channel {
    @Override
    public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
      return new Call<>(method);
    }

    @Override
    public String authority() {
      return called.name();
    }
  }

  /** A unary call. */
  private final class Call<Q, R> extends ClientCall<Q, R> {
    private final MethodDescriptor<Q, R> method;
    private Listener<R> listener;
    private Metadata headers;
    private Q message;
    private boolean ended;
    private final VirtualTime.Signal answered = new VirtualTime.Signal();

    /** Whether the called process decides: time passes, and the caller continues, after that. */
    private boolean serving;

    /** Carries the end of the call to the caller; null: the call has not ended. */
    private Runnable close;

    Call(MethodDescriptor<Q, R> method) {
      this.method = method;
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
      if (isCutOff() || shutdown) {
        carry(UNREACHABLE_NANOS, () -> end(Status.UNAVAILABLE, null));
      } else {
        carry(network.delayOrStallNanos(), this::arrive);
      }
    }

    @SuppressWarnings("unchecked") // The definition is that of the method.
    private void arrive() {
      long pausedNanos = called.pausedUntilNanos() - time.nanoTime();
      if (called.isRunning() && pausedNanos > 0) {
        carry(pausedNanos, this::arrive);
        return;
      }
      if (network.loses() || isCutOff() || !called.isRunning()) {
        end(Status.UNAVAILABLE, null);
        return;
      }
      boolean replyIsLost = network.loses();
      serving = true;
      ServerMethodDefinition<Q, R> definition =
          (ServerMethodDefinition<Q, R>) called.method(method.getFullMethodName());
      ServerCall.Listener<Q> served =
          definition
              .getServerCallHandler()
              .startCall(
                  new Served<>(definition.getMethodDescriptor(), this, replyIsLost), headers);
      served.onMessage(message);
      served.onHalfClose();
      called.runPending();
      serving = false;
      if (close == null && blocking) {
        boolean inTime = time.await(answered, time.nanoTime() + DEADLINE_NANOS);
        if (!inTime) {
          end(Status.DEADLINE_EXCEEDED, null);
          return;
        }
      }
      if (close != null) {
        close.run();
      }
    }

    private void closed(Status status, R reply, boolean replyIsLost) {
      close =
          () ->
              carry(
                  network.delayNanos(),
                  () -> end(replyIsLost ? Status.UNAVAILABLE : status, reply));
      if (!serving && blocking) {
        answered.give();
      } else if (!serving) {
        close.run();
      }
    }

    private void end(Status status, R reply) {
      if (ended) {
        return;
      }
      ended = true;
      if (status.isOk()) {
        listener.onHeaders(new Metadata());
        listener.onMessage(reply);
      }
      listener.onClose(status, new Metadata());
    }

    @Override
    public void cancel(String reason, Throwable cause) {
      end(Status.CANCELLED.withDescription(reason).withCause(cause), null);
    }
  }

  /** The called process's end of a call. */
  private static final class Served<Q, R> extends ServerCall<Q, R> {
    private final MethodDescriptor<Q, R> method;
    private final SimulatedChannel.Call<Q, R> call;
    private final boolean replyIsLost;
    private R reply;

    Served(MethodDescriptor<Q, R> method, SimulatedChannel.Call<Q, R> call, boolean replyIsLost) {
      this.method = method;
      this.call = call;
      this.replyIsLost = replyIsLost;
    }

    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(R message) {
      reply = message;
    }

    @Override
    public void close(Status status, Metadata trailers) {
      call.closed(status, reply, replyIsLost);
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public MethodDescriptor<Q, R> getMethodDescriptor() {
      return method;
    }
  }
}
