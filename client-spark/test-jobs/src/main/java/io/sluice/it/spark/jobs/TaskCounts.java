package io.sluice.it.spark.jobs;

import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.FetchFailed;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.scheduler.TaskLocation;
import scala.collection.Iterable;
import scala.collection.Iterator;

/**
 * Counts the results of a job's tasks: successful {@code mapTasks} and {@code resultTasks}, {@code
 * fetchFailures}, {@code lostTasks} of lost executors, {@code otherFailures}, and {@code
 * failedStages}. Lists the preferred hosts of tasks: {@code preferredHosts}. Thread-safe.
 */
final class TaskCounts extends SparkListener {
  private long mapTasks;
  private long resultTasks;
  private long fetchFailures;
  private long lostTasks;
  private long otherFailures;
  private long failedStages;
  private final Set<String> preferredHosts = new TreeSet<>();

  synchronized void reset() {
    mapTasks = 0;
    resultTasks = 0;
    fetchFailures = 0;
    lostTasks = 0;
    otherFailures = 0;
    failedStages = 0;
    preferredHosts.clear();
  }

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    Iterator<?> ofTasks = preferences(submitted.stageInfo()).iterator();
    while (ofTasks.hasNext()) {
      Iterator<?> ofTask = ((Iterable<?>) ofTasks.next()).iterator();
      while (ofTask.hasNext()) {
        preferredHosts.add(String.valueOf(((TaskLocation) ofTask.next()).host()));
      }
    }
  }

  /**
   * Preferred locations of each task. Uses reflection, because the sequence type differs between
   * Scala versions.
   */
  private static Iterable<?> preferences(StageInfo stage) {
    try {
      return (Iterable<?>) StageInfo.class.getMethod("taskLocalityPreferences").invoke(stage);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot read the preferred locations of a stage", e);
    }
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.taskInfo().successful()) {
      if (end.taskType().equals("ShuffleMapTask")) {
        mapTasks++;
      } else {
        resultTasks++;
      }
    } else if (end.reason() instanceof FetchFailed) {
      fetchFailures++;
    } else if (end.reason() instanceof ExecutorLostFailure) {
      lostTasks++;
    } else {
      otherFailures++;
    }
  }

  @Override
  public synchronized void onStageCompleted(SparkListenerStageCompleted completed) {
    if (completed.stageInfo().failureReason().isDefined()) {
      failedStages++;
    }
  }

  synchronized void report(String job, Properties into) {
    into.setProperty(job + ".mapTasks", Long.toString(mapTasks));
    into.setProperty(job + ".resultTasks", Long.toString(resultTasks));
    into.setProperty(job + ".fetchFailures", Long.toString(fetchFailures));
    into.setProperty(job + ".lostTasks", Long.toString(lostTasks));
    into.setProperty(job + ".otherFailures", Long.toString(otherFailures));
    into.setProperty(job + ".failedStages", Long.toString(failedStages));
    into.setProperty(job + ".preferredHosts", String.join(",", preferredHosts));
  }
}
