package io.sluice.spark.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.StageInfo;
import scala.collection.Iterator;

/**
 * Driver: tracks which shuffles are active, that is, may still be read by a stage. A shuffle is
 * active until a stage that reads it has completed, and again while a running job contains another
 * stage that reads it. A later job reads outputs that were not pushed from local output, so a wrong
 * "inactive" costs only speed. Thread-safe; updated by Spark's listener thread.
 */
public final class ReadingStages extends SparkListener {
  // Guarded by this.
  private final Map<Integer, Integer> shuffleOfStage = new HashMap<>();
  private final Map<Integer, Set<Integer>> shufflesReadBy = new HashMap<>();
  private final Map<Integer, Set<Integer>> pendingReaders = new HashMap<>();
  private final Map<Integer, List<Integer>> stagesOfJob = new HashMap<>();
  private final Set<Integer> read = new HashSet<>();

  /** Whether a stage may still read a shuffle. */
  public synchronized boolean isActive(int shuffle) {
    return pendingReaders.containsKey(shuffle) || !read.contains(shuffle);
  }

  /** Removes a shuffle that was unregistered. */
  public synchronized void forget(int shuffle) {
    pendingReaders.remove(shuffle);
    read.remove(shuffle);
  }

  @Override
  public void onJobStart(SparkListenerJobStart start) {
    List<Stage> stages = new ArrayList<>();
    Iterator<StageInfo> infos = start.stageInfos().iterator();
    while (infos.hasNext()) {
      StageInfo info = infos.next();
      List<Integer> parents = new ArrayList<>();
      Iterator<Object> ids = info.parentIds().iterator();
      while (ids.hasNext()) {
        parents.add((Integer) ids.next());
      }
      Integer shuffle = info.shuffleDepId().isEmpty() ? null : (Integer) info.shuffleDepId().get();
      stages.add(new Stage(info.stageId(), shuffle, parents));
    }
    jobStarted(start.jobId(), stages);
  }

  @Override
  public void onStageCompleted(SparkListenerStageCompleted completed) {
    if (completed.stageInfo().failureReason().isEmpty()) {
      stageCompleted(completed.stageInfo().stageId());
    }
  }

  @Override
  public void onJobEnd(SparkListenerJobEnd end) {
    jobEnded(end.jobId());
  }

  /**
   * A stage of a job.
   *
   * @param shuffle the shuffle that it writes; null for none
   * @param parents stages whose shuffles it reads
   */
  record Stage(int id, Integer shuffle, List<Integer> parents) {}

  synchronized void jobStarted(int job, List<Stage> stages) {
    stagesOfJob.put(job, stages.stream().map(Stage::id).toList());
    for (Stage stage : stages) {
      if (stage.shuffle != null) {
        shuffleOfStage.put(stage.id, stage.shuffle);
      }
    }
    for (Stage stage : stages) {
      for (int parent : stage.parents) {
        Integer shuffle = shuffleOfStage.get(parent);
        if (shuffle != null) {
          shufflesReadBy.computeIfAbsent(stage.id, id -> new HashSet<>()).add(shuffle);
          pendingReaders.computeIfAbsent(shuffle, id -> new HashSet<>()).add(stage.id);
        }
      }
    }
  }

  synchronized void stageCompleted(int stage) {
    for (int shuffle : shufflesReadBy.getOrDefault(stage, Set.of())) {
      read.add(shuffle);
      removePendingReader(shuffle, stage);
    }
  }

  /** Also removes the job's skipped and failed stages from the pending readers. */
  synchronized void jobEnded(int job) {
    for (int stage : stagesOfJob.getOrDefault(job, List.of())) {
      Set<Integer> shuffles = shufflesReadBy.remove(stage);
      if (shuffles != null) {
        shuffles.forEach(shuffle -> removePendingReader(shuffle, stage));
      }
      shuffleOfStage.remove(stage);
    }
    stagesOfJob.remove(job);
  }

  private void removePendingReader(int shuffle, int stage) {
    Set<Integer> readers = pendingReaders.get(shuffle);
    if (readers != null && readers.remove(stage) && readers.isEmpty()) {
      pendingReaders.remove(shuffle);
    }
  }
}
