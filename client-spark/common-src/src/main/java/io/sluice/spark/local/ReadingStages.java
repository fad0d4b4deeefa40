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
 * Driver: knows which shuffles some stage may still want to read. A shuffle is wanted until a stage
 * that reads it has completed, and again while a job runs in which another stage is to read it. A
 * job that comes later finds it in local output where it was not pushed to the end, so a wrong no
 * costs speed and nothing else. Thread-safe; Spark's listener thread tells it.
 */
public final class ReadingStages extends SparkListener {
  // Guarded by this.
  private final Map<Integer, Integer> shuffleOfStage = new HashMap<>();
  private final Map<Integer, Set<Integer>> shufflesReadBy = new HashMap<>();
  private final Map<Integer, Set<Integer>> readersToCome = new HashMap<>();
  private final Map<Integer, List<Integer>> stagesOfJob = new HashMap<>();
  private final Set<Integer> read = new HashSet<>();

  /** Whether a stage may still want to read a shuffle. */
  public synchronized boolean isWanted(int shuffle) {
    return readersToCome.containsKey(shuffle) || !read.contains(shuffle);
  }

  /** The shuffle is gone. */
  public synchronized void forget(int shuffle) {
    readersToCome.remove(shuffle);
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
   * @param shuffle that it writes; null: none
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
          readersToCome.computeIfAbsent(shuffle, id -> new HashSet<>()).add(stage.id);
        }
      }
    }
  }

  synchronized void stageCompleted(int stage) {
    for (int shuffle : shufflesReadBy.getOrDefault(stage, Set.of())) {
      read.add(shuffle);
      noLongerToCome(shuffle, stage);
    }
  }

  /** Stages that were left out, or failed for good, are not to come any more either. */
  synchronized void jobEnded(int job) {
    for (int stage : stagesOfJob.getOrDefault(job, List.of())) {
      Set<Integer> shuffles = shufflesReadBy.remove(stage);
      if (shuffles != null) {
        shuffles.forEach(shuffle -> noLongerToCome(shuffle, stage));
      }
      shuffleOfStage.remove(stage);
    }
    stagesOfJob.remove(job);
  }

  private void noLongerToCome(int shuffle, int stage) {
    Set<Integer> readers = readersToCome.get(shuffle);
    if (readers != null && readers.remove(stage) && readers.isEmpty()) {
      readersToCome.remove(shuffle);
    }
  }
}
