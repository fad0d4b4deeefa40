package io.sluice.spark.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.spark.local.ReadingStages.Stage;
import java.util.List;
import java.util.function.IntPredicate;
import org.apache.spark.SecurityManager;
import org.apache.spark.SecurityManager$;
import org.apache.spark.SparkConf;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.RpcEnv$;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import scala.Option;

/** Sends requests over Spark's RPC between two environments. */
class ReadingStagesEndpointTest {
  private final SparkConf conf = new SparkConf(false).set("spark.rpc.io.threads", "1");
  private final RpcEnv driver = environment("sparkDriver", 0, false);
  private final RpcEnv executor = environment("executor", 0, true);
  private final ReadingStages stages = new ReadingStages();
  private final ReadingStagesEndpoint endpoint = new ReadingStagesEndpoint(driver, stages);

  private RpcEnv environment(String name, int port, boolean isClient) {
    SecurityManager open =
        new SecurityManager(
            conf, Option.empty(), SecurityManager$.MODULE$.$lessinit$greater$default$3());
    return RpcEnv$.MODULE$.create(name, "127.0.0.1", port, conf, open, isClient);
  }

  private IntPredicate questions() {
    conf.set("spark.driver.host", driver.address().host())
        .set("spark.driver.port", Integer.toString(driver.address().port()));
    return ActiveShuffles.driver(executor, conf);
  }

  @AfterEach
  void stop() {
    endpoint.close();
    executor.shutdown();
    driver.shutdown();
    executor.awaitTermination();
    driver.awaitTermination();
  }

  @Test
  void answersExecutorsFromTheStateOfTheDriver() {
    endpoint.start();
    IntPredicate wanted = questions();
    stages.jobStarted(1, List.of(new Stage(10, 7, List.of()), new Stage(11, null, List.of(10))));
    assertThat(wanted.test(7)).isTrue();

    stages.stageCompleted(11);
    assertThat(wanted.test(7)).isFalse();
    assertThat(wanted.test(8)).isTrue();
  }

  @Test
  void aDriverThatDoesNotAnswerIsAnError() {
    endpoint.start();
    endpoint.close();
    IntPredicate wanted = questions();

    assertThatThrownBy(() -> wanted.test(7)).isNotNull();
  }
}
