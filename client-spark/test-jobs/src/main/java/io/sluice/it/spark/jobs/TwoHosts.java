package io.sluice.it.spark.jobs;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.master.Master$;
import org.apache.spark.deploy.worker.Worker$;
import org.apache.spark.rpc.RpcEnv;
import scala.Option;

/**
 * A standalone cluster whose two workers have different host names, both on loopback. Workers of
 * {@code local-cluster} have the same host name, and Spark never runs a speculative attempt on the
 * host of the slow attempt.
 */
final class TwoHosts implements AutoCloseable {
  /** Value of {@code spark.master} that selects this cluster. */
  static final String MASTER = "two-hosts";

  private static final int CORES = 2;
  private static final int MEMORY_MIB = 1024;

  private final List<RpcEnv> parts = new ArrayList<>();
  private final String master;

  TwoHosts(SparkConf conf) {
    SparkConf own = conf.clone();
    own.set("spark.master.rest.enabled", "false");
    RpcEnv first = Master$.MODULE$.startRpcEnvAndEndpoint("127.0.0.1", 0, 0, own)._1();
    parts.add(first);
    master = "spark://127.0.0.1:" + first.address().port();
    for (int i = 1; i <= 2; i++) {
      parts.add(
          Worker$.MODULE$.startRpcEnvAndEndpoint(
              "127.0.0." + i,
              0,
              0,
              CORES,
              MEMORY_MIB,
              new String[] {master},
              null,
              Option.apply(i),
              own,
              Option.empty()));
    }
  }

  String master() {
    return master;
  }

  /** Stops workers, with their executors, then the master. */
  @Override
  public void close() {
    for (int i = parts.size() - 1; i >= 0; i--) {
      parts.get(i).shutdown();
      parts.get(i).awaitTermination();
    }
  }
}
