package io.sluice.spark;

import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpoint;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import scala.Function1;
import scala.PartialFunction;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * Driver's RPC endpoint that answers requests of executors over Spark's RPC. Thread-safe if {@link
 * #receive} is.
 *
 * @param <R> type of the requests
 */
public abstract class DriverEndpoint<R> implements RpcEndpoint, AutoCloseable {
  private final RpcEnv rpcEnv;
  private final String name;
  private final Class<R> requestType;
  // Guarded by this.
  private RpcEndpointRef self;

  /**
   * @param name name under which executors look up the endpoint
   */
  protected DriverEndpoint(RpcEnv rpcEnv, String name, Class<R> requestType) {
    this.rpcEnv = rpcEnv;
    this.name = name;
    this.requestType = requestType;
  }

  /**
   * Answers a request through its context, now or later. Runs on a thread of Spark's shared RPC
   * dispatcher, so it must not block.
   */
  protected abstract void receive(R request, RpcCallContext context);

  /** Registers the endpoint, so that executors can find it. */
  public final synchronized void start() {
    self = rpcEnv.setupEndpoint(name, this);
  }

  @Override
  public final RpcEnv rpcEnv() {
    return rpcEnv;
  }

  @Override
  public final PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext context) {
    return new Requests(context);
  }

  /** Partial function to which Spark passes received messages. */
  private final class Requests extends AbstractPartialFunction<Object, BoxedUnit> {
    private final RpcCallContext context;

    Requests(RpcCallContext context) {
      this.context = context;
    }

    @Override
    public boolean isDefinedAt(Object message) {
      return requestType.isInstance(message);
    }

    @Override
    @SuppressWarnings("unchecked") // A partial function of Scala: its result is the unit.
    public <A1, B1> B1 applyOrElse(A1 message, Function1<A1, B1> otherwise) {
      if (!requestType.isInstance(message)) {
        return otherwise.apply(message);
      }
      receive(requestType.cast(message), context);
      return (B1) BoxedUnit.UNIT;
    }
  }

  /** Unregisters the endpoint: later requests fail. Idempotent. */
  @Override
  public synchronized void close() {
    if (self != null) {
      rpcEnv.stop(self);
      self = null;
    }
  }
}
