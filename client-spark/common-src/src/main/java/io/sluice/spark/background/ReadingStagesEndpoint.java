package io.sluice.spark.background;

import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpoint;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import scala.Function1;
import scala.PartialFunction;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * The driver's end of {@link WantedShuffles}: a question is the number of a shuffle, the answer
 * whether it is wanted. Answered at once, from memory.
 */
public final class ReadingStagesEndpoint implements RpcEndpoint, AutoCloseable {
  /** Under which executors find it. */
  static final String NAME = "SluiceReadingStages";

  private final RpcEnv rpcEnv;
  private final ReadingStages stages;
  // Guarded by this.
  private RpcEndpointRef self;

  public ReadingStagesEndpoint(RpcEnv rpcEnv, ReadingStages stages) {
    this.rpcEnv = rpcEnv;
    this.stages = stages;
  }

  /** The shuffle is gone. */
  public void forget(int shuffle) {
    stages.forget(shuffle);
  }

  /** Makes it known to executors. */
  public synchronized void start() {
    self = rpcEnv.setupEndpoint(NAME, this);
  }

  @Override
  public RpcEnv rpcEnv() {
    return rpcEnv;
  }

  @Override
  public PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext context) {
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
      return message instanceof Integer;
    }

    @Override
    @SuppressWarnings("unchecked") // A partial function of Scala: its result is the unit.
    public <A1, B1> B1 applyOrElse(A1 message, Function1<A1, B1> otherwise) {
      if (!(message instanceof Integer shuffle)) {
        return otherwise.apply(message);
      }
      context.reply(stages.isWanted(shuffle));
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
