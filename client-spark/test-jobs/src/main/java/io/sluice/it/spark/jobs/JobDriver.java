package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * Runs jobs in one Spark application. Writes to a file of properties the results of each job, the
 * state of each shuffle (see {@link ShuffleEvents}), and the configuration of the driver as {@code
 * conf.KEY}.
 *
 * <p>Arguments: the file of results, then the names of the jobs. For a name that begins with {@code
 * pause:} the driver prints the name and waits for a line of input, so that a test can change the
 * cluster between or during jobs. Spark's configuration comes from system properties.
 */
public final class JobDriver {
  private JobDriver() {}

  public static void main(String[] arguments) throws IOException {
    // Without methods that Java 8 lacks: their replacements are in the client jar, which may be
    // absent.
    Path results = Paths.get(arguments[0]);
    SparkConf conf = new SparkConf();
    Properties found = new Properties();
    List<String> names = Arrays.asList(arguments).subList(1, arguments.length);
    if (conf.get("spark.master").equals(TwoHosts.MASTER)) {
      try (TwoHosts cluster = new TwoHosts(conf)) {
        run(conf.set("spark.master", cluster.master()), names, found);
      }
    } else {
      run(conf, names, found);
    }
    try (Writer writer = Files.newBufferedWriter(results)) {
      found.store(writer, null);
    }
    // On YARN, an application that calls System.exit is reported as failed.
    if (!conf.get("spark.submit.deployMode", "client").equals("cluster")) {
      // After barrier tasks, a timer thread of Spark would keep the process running.
      System.exit(0);
    }
  }

  private static void run(SparkConf conf, List<String> names, Properties found) throws IOException {
    try (SparkSession spark = SparkSession.builder().config(conf).getOrCreate()) {
      ShuffleMetrics metrics = new ShuffleMetrics();
      spark.sparkContext().addSparkListener(metrics);
      SqlMetrics sqlMetrics = new SqlMetrics();
      spark.listenerManager().register(sqlMetrics);
      TaskCounts tasks = new TaskCounts();
      spark.sparkContext().addSparkListener(tasks);
      ShuffleEvents shuffles = ShuffleEvents.of(spark.sparkContext());
      BufferedReader input =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String name : names) {
        if (name.startsWith(Pause.PREFIX)) {
          Pause.untilResumed(name, input);
          continue;
        }
        long begun = System.nanoTime();
        metrics.reset();
        sqlMetrics.reset();
        tasks.reset();
        JobResult result;
        try {
          result = Jobs.named(name).run(spark, input);
        } catch (Exception e) {
          found.setProperty(name + ".error", String.valueOf(e.getMessage()));
          System.out.println("job failed name=" + name);
          e.printStackTrace();
          continue;
        }
        ShuffleMetrics.settle(spark.sparkContext());
        found.setProperty(name + ".rows", Long.toString(result.rows()));
        found.setProperty(name + ".digest", result.digest());
        found.setProperty(name + ".plan", result.plan());
        metrics.report(name, found);
        sqlMetrics.report(name, found);
        tasks.report(name, found);
        long ms = (System.nanoTime() - begun) / 1_000_000;
        found.setProperty(name + ".ms", Long.toString(ms));
        System.out.println("job done name=" + name + " ms=" + ms + " rows=" + result.rows());
      }
      shuffles.report(spark.sparkContext(), found);
      for (Tuple2<String, String> setting : spark.sparkContext().getConf().getAll()) {
        found.setProperty("conf." + setting._1(), setting._2());
      }
    }
  }
}
