package io.sluice.demo.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskInfo;
import scala.collection.Iterator;

/**
 * Writes a file with the times at which tasks wrote and read shuffles, for {@code bench session}.
 * Set it as {@code spark.extraListeners}, and the file as {@link #FILE}; the file is complete when
 * the application has ended. Times are milliseconds since 1970.
 *
 * <pre>
 *   line = "write" SPACE shuffle SPACE map-task SPACE end-of-task SPACE bytes
 *        | "read" SPACE shuffle SPACE end-of-task
 * </pre>
 *
 * <p>A task counts as a reader of each shuffle that its stage reads. Used by Spark's listener
 * thread.
 */
public final class ShuffleTrace extends SparkListener {
  /** Configuration key of the file. */
  public static final String FILE = "spark.sluice.bench.trace";

  private final Writer out;
  private final Map<Integer, Integer> shuffleOfStage = new HashMap<>();
  private final Map<Integer, List<Integer>> parentsOfStage = new HashMap<>();

  /** Called by Spark. */
  public ShuffleTrace(SparkConf conf) throws IOException {
    this(Files.newBufferedWriter(Path.of(conf.get(FILE))));
  }

  /**
   * @param out closed at the end of the application
   */
  ShuffleTrace(Writer out) {
    this.out = out;
  }

  @Override
  public void onJobStart(SparkListenerJobStart start) {
    Iterator<StageInfo> stages = start.stageInfos().iterator();
    while (stages.hasNext()) {
      StageInfo stage = stages.next();
      if (stage.shuffleDepId().isDefined()) {
        shuffleOfStage.put(stage.stageId(), (Integer) stage.shuffleDepId().get());
      }
      List<Integer> parents = new ArrayList<>();
      Iterator<?> ids = stage.parentIds().iterator();
      while (ids.hasNext()) {
        parents.add((Integer) ids.next());
      }
      parentsOfStage.put(stage.stageId(), parents);
    }
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    TaskInfo task = end.taskInfo();
    if (!task.successful()) {
      return;
    }
    for (int parent : parentsOfStage.getOrDefault(end.stageId(), List.of())) {
      line("read " + shuffleOfStage.get(parent) + " " + task.finishTime());
    }
    Integer written = shuffleOfStage.get(end.stageId());
    if (written != null) {
      long bytes = end.taskMetrics().shuffleWriteMetrics().bytesWritten();
      line("write " + written + " " + task.partitionId() + " " + task.finishTime() + " " + bytes);
    }
  }

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd end) {
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void line(String line) {
    try {
      out.write(line + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
