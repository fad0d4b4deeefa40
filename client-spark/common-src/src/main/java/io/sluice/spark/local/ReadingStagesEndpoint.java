package io.sluice.spark.local;

import io.sluice.spark.DriverEndpoint;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEnv;

/**
 * The driver's end of {@link ActiveShuffles}: a question is the number of a shuffle, the answer
 * whether it is wanted. Answered at once, from memory.
 */
public final class ReadingStagesEndpoint extends DriverEndpoint<Integer> {
  /** Under which executors find it. */
  static final String NAME = "SluiceReadingStages";

  private final ReadingStages stages;

  public ReadingStagesEndpoint(RpcEnv rpcEnv, ReadingStages stages) {
    super(rpcEnv, NAME, Integer.class);
    this.stages = stages;
  }

  /** The shuffle is gone. */
  public void forget(int shuffle) {
    stages.forget(shuffle);
  }

  @Override
  protected void receive(Integer shuffle, RpcCallContext context) {
    context.reply(stages.isWanted(shuffle));
  }
}
