package io.sluice.spark.assignment;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.RpcTimeout;
import org.apache.spark.util.RpcUtils;
import scala.concurrent.ExecutionContext;
import scala.concurrent.Future;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.util.Try;

/**
 * Requests over Spark's RPC to {@link AssignmentEndpoint} in the driver. A request fails after
 * {@code spark.rpc.askTimeout}. Thread-safe.
 */
public final class RpcDriverRequests implements DriverRequests {
  private static final ClassTag<byte[]> BYTES = ClassTag$.MODULE$.apply(byte[].class);

  private final RpcEnv rpcEnv;
  private final String uri;
  private final RpcTimeout timeout;
  private final ExecutionContext direct;

  /**
   * @param conf configuration of an executor, or of the driver itself
   */
  public RpcDriverRequests(RpcEnv rpcEnv, SparkConf conf) {
    this.rpcEnv = rpcEnv;
    this.uri =
        "spark://"
            + AssignmentEndpoint.NAME
            + "@"
            + conf.get("spark.driver.host", "localhost")
            + ":"
            + conf.get("spark.driver.port", "7077");
    this.timeout = RpcUtils.askRpcTimeout(conf);
    this.direct = scala.concurrent.ExecutionContext$.MODULE$.fromExecutor(Runnable::run);
  }

  @Override
  public CompletionStage<byte[]> ask(byte[] request) {
    // Requests are rare, so the endpoint is looked up each time and a failed look-up is never
    // cached.
    return completed(rpcEnv.asyncSetupEndpointRefByURI(uri))
        .thenCompose((RpcEndpointRef driver) -> completed(driver.ask(request, timeout, BYTES)))
        .orTimeout(timeout.duration().toMillis(), TimeUnit.MILLISECONDS);
  }

  private <T> CompletableFuture<T> completed(Future<T> future) {
    CompletableFuture<T> completed = new CompletableFuture<>();
    future.onComplete(
        (Try<T> result) -> {
          if (result.isSuccess()) {
            return completed.complete(result.get());
          }
          return completed.completeExceptionally(result.failed().get());
        },
        direct);
    return completed;
  }
}
