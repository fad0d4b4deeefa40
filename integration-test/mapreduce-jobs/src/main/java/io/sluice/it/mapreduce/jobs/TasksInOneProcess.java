package io.sluice.it.mapreduce.jobs;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.AMFeedback;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.ReduceTask;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.map.TokenCounterMapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.apache.hadoop.mapreduce.split.JobSplit.TaskSplitMetaInfo;
import org.apache.hadoop.mapreduce.split.JobSplitWriter;
import org.apache.hadoop.mapreduce.split.SplitMetaInfoReader;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.hadoop.util.GenericOptionsParser;

/**
 * A word count that runs Hadoop's tasks one after the other in this process: thousands of tasks in
 * the time of a few containers. This process is also their application master and reports all map
 * output as on servers. The assignment is in the environment, as in a container.
 *
 * <p>Arguments: Hadoop's generic options, input, output, a directory for everything else.
 */
public final class TasksInOneProcess {
  private static final JobID JOB = new JobID("inoneprocess", 1);

  private final JobConf job;
  private final Path jobFile;
  private final List<TaskCompletionEvent> succeeded = new ArrayList<>();
  private final TaskUmbilicalProtocol master =
      (TaskUmbilicalProtocol)
          Proxy.newProxyInstance(
              TaskUmbilicalProtocol.class.getClassLoader(),
              new Class<?>[] {TaskUmbilicalProtocol.class},
              (proxy, method, arguments) -> answer(method, arguments));

  private TasksInOneProcess(JobConf job, Path jobFile) {
    this.job = job;
    this.jobFile = jobFile;
  }

  public static void main(String[] args) throws Exception {
    GenericOptionsParser options = new GenericOptionsParser(new Configuration(), args);
    String[] paths = options.getRemainingArgs();
    Job wordCount = Job.getInstance(options.getConfiguration());
    wordCount.setMapperClass(TokenCounterMapper.class);
    wordCount.setCombinerClass(IntSumReducer.class);
    wordCount.setReducerClass(IntSumReducer.class);
    wordCount.setOutputKeyClass(Text.class);
    wordCount.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(wordCount, new Path(paths[0]));
    FileOutputFormat.setOutputPath(wordCount, new Path(paths[1]));
    JobConf job = (JobConf) wordCount.getConfiguration();
    job.setUseNewMapper(true);
    job.setUseNewReducer(true);
    job.set("mapreduce.cluster.local.dir", paths[2] + "/local");
    new TasksInOneProcess(job, new Path(paths[2], "job.xml")).run();
  }

  private void run() throws Exception {
    FileSystem files = jobFile.getFileSystem(job);
    JobContextImpl context = new JobContextImpl(job, JOB);
    List<InputSplit> splits = new TextInputFormat().getSplits(context);
    JobSplitWriter.createSplitFiles(
        jobFile.getParent(), job, files, splits.toArray(new InputSplit[0]));
    TaskSplitMetaInfo[] written =
        SplitMetaInfoReader.readSplitMetaInfo(JOB, files, job, jobFile.getParent());
    job.setNumMapTasks(written.length);
    OutputCommitter committer =
        new FileOutputCommitter(
            FileOutputFormat.getOutputPath(context),
            new TaskAttemptContextImpl(job, attempt(TaskType.JOB_SETUP, 0)));
    committer.setupJob(context);
    for (int map = 0; map < written.length; map++) {
      TaskAttemptID attempt = attempt(TaskType.MAP, map);
      run(new MapTask(jobFile.toString(), attempt, map, written[map].getSplitIndex(), 1));
      succeeded.add(
          new TaskCompletionEvent(
              map,
              attempt,
              map,
              true,
              TaskCompletionEvent.Status.SUCCEEDED,
              "http://unused.invalid:1#sluice=servers"));
    }
    for (int reduce = 0; reduce < job.getNumReduceTasks(); reduce++) {
      TaskAttemptID attempt = attempt(TaskType.REDUCE, reduce);
      run(new ReduceTask(jobFile.toString(), attempt, reduce, written.length, 1));
    }
    committer.commitJob(context);
  }

  private static TaskAttemptID attempt(TaskType type, int task) {
    return new TaskAttemptID(JOB.getJtIdentifier(), JOB.getId(), type, task, 0);
  }

  private void run(Task task) throws Exception {
    JobConf ofTask = new JobConf(job);
    task.setJobFile(jobFile.toString());
    task.localizeConfiguration(ofTask);
    task.setConf(ofTask);
    task.run(ofTask, master);
  }

  /** Replies of an application master to a healthy task. */
  private Object answer(Method method, Object[] arguments) throws IOException {
    switch (method.getName()) {
      case "statusUpdate" -> {
        AMFeedback feedback = new AMFeedback();
        feedback.setTaskFound(true);
        return feedback;
      }
      case "canCommit" -> {
        return true;
      }
      case "getMapCompletionEvents" -> {
        int first = (int) arguments[1];
        // A negative first event requests the newest assignment.
        List<TaskCompletionEvent> wanted =
            first < 0 ? List.of() : succeeded.subList(first, succeeded.size());
        return new MapTaskCompletionEventsUpdate(wanted.toArray(new TaskCompletionEvent[0]), false);
      }
      case "fatalError", "fsError", "shuffleError" ->
          throw new IOException(method.getName() + ": " + arguments[1]);
      default -> {
        return null;
      }
    }
  }
}
