package io.sluice.spark.local;

import io.sluice.spark.DriverEndpoint;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEnv;

/**
 * Driver's endpoint for {@link ActiveShuffles}: a request is the id of a shuffle, the reply whether
 * the shuffle is active. Replies at once, from memory.
 */
public final class ReadingStagesEndpoint extends DriverEndpoint<Integer> {
  /** Name under which executors look up the endpoint. */
  static final String NAME = "SluiceReadingStages";

  private final ReadingStages stages;

  public ReadingStagesEndpoint(RpcEnv rpcEnv, ReadingStages stages) {
    super(rpcEnv, NAME, Integer.class);
    this.stages = stages;
  }

  /** Removes a shuffle that was unregistered. */
  public void forget(int shuffle) {
    stages.forget(shuffle);
  }

  @Override
  protected void receive(Integer shuffle, RpcCallContext context) {
    context.reply(stages.isActive(shuffle));
  }
}
