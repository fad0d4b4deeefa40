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
 * Where executors ask the driver something over Spark's own RPC. Thread-safe if {@link #receive}
 * is.
 *
 * @param <Q> a question
 */
public abstract class DriverEndpoint<Q> implements RpcEndpoint, AutoCloseable {
  private final RpcEnv rpcEnv;
  private final String name;
  private final Class<Q> questions;
  // Guarded by this.
  private RpcEndpointRef self;

  /**
   * @param name under which executors find it
   */
  protected DriverEndpoint(RpcEnv rpcEnv, String name, Class<Q> questions) {
    this.rpcEnv = rpcEnv;
    this.name = name;
    this.questions = questions;
  }

  /** Answers through the context, now or later. Runs on a thread that all of Spark shares. */
  protected abstract void receive(Q question, RpcCallContext context);

  /** Makes it known to executors. */
  public final synchronized void start() {
    self = rpcEnv.setupEndpoint(name, this);
  }

  @Override
  public final RpcEnv rpcEnv() {
    return rpcEnv;
  }

  @Override
  public final PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext context) {
    return new Questions(context);
  }

  /** What Spark hands its messages to. */
  private final class Questions extends AbstractPartialFunction<Object, BoxedUnit> {
    private final RpcCallContext context;

    Questions(RpcCallContext context) {
      this.context = context;
    }

    @Override
    public boolean isDefinedAt(Object message) {
      return questions.isInstance(message);
    }

    @Override
    @SuppressWarnings("unchecked") // A partial function of Scala: its result is the unit.
    public <A1, B1> B1 applyOrElse(A1 message, Function1<A1, B1> otherwise) {
      if (!questions.isInstance(message)) {
        return otherwise.apply(message);
      }
      receive(questions.cast(message), context);
      return (B1) BoxedUnit.UNIT;
    }
  }

  /** Answers nothing more. Idempotent. */
  @Override
  public synchronized void close() {
    if (self != null) {
      rpcEnv.stop(self);
      self = null;
    }
  }
}
