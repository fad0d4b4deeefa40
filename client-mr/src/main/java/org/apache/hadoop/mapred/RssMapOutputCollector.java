package org.apache.hadoop.mapred;

import io.sluice.client.LocalOutputMode;
import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.PushFailedException;
import io.sluice.client.push.PushSession;
import io.sluice.mr.AssignedShuffle;
import io.sluice.mr.FailedServers;
import io.sluice.mr.JobSettings;
import io.sluice.mr.MapAttempts;
import io.sluice.mr.SignsOfLife;
import io.sluice.mr.SluiceCounter;
import io.sluice.mr.write.OutputFile;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The map side of the plugin: {@code mapreduce.job.map.output.collector.class}. Hadoop's own
 * collector sorts, combines and spills, so that all of its settings and counters mean what they
 * mean there; what it leaves is pushed to the servers, and removed when they have it.
 *
 * <p>Without an assignment from the application master it does what Hadoop's own does.
 */
public final class RssMapOutputCollector<K, V> implements MapOutputCollector<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(RssMapOutputCollector.class);

  private final MapOutputCollector<K, V> sorted = new MapTask.MapOutputBuffer<>();
  private Context context;
  private Optional<ShuffleAssignment> assignment = Optional.empty();

  /** Called by Hadoop. */
  public RssMapOutputCollector() {}

  @Override
  public void init(Context context) throws IOException, ClassNotFoundException {
    this.context = context;
    this.assignment = AssignedShuffle.from(System.getenv());
    sorted.init(context);
  }

  @Override
  public void collect(K key, V value, int partition) throws IOException, InterruptedException {
    sorted.collect(key, value, partition);
  }

  @Override
  public void flush() throws IOException, InterruptedException, ClassNotFoundException {
    sorted.flush();
    if (assignment.isPresent()) {
      push(assignment.get());
    }
  }

  private void push(ShuffleAssignment shuffle) throws IOException {
    JobConf job = context.getJobConf();
    MapOutputFile files = context.getMapTask().getMapOutputFile();
    OutputFile output = OutputFile.of(job, files.getOutputFile(), files.getOutputIndexFile());
    JobSettings settings = JobSettings.of(job);
    OutputFile.Pushed pushed;
    try {
      pushed = push(shuffle, settings, output);
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      if (e instanceof PushFailedException failure) {
        FailedServers.report(context.getReporter(), failure.server());
      }
      if (settings.localOutput() == LocalOutputMode.NEVER) {
        throw e;
      }
      LOG.warn(
          "map output kept locally attempt={} reason={}", context.getMapTask().getTaskID(), e, e);
      count(SluiceCounter.LOCAL_OUTPUTS, 1);
      return;
    }
    count(SluiceCounter.PUSHED_SEGMENTS, pushed.segments());
    count(SluiceCounter.PUSHED_BYTES, pushed.bytes());
    if (settings.localOutput() == LocalOutputMode.ALWAYS) {
      count(SluiceCounter.LOCAL_OUTPUTS, 1);
    } else {
      output.delete();
    }
  }

  private OutputFile.Pushed push(
      ShuffleAssignment shuffle, JobSettings settings, OutputFile output) throws IOException {
    TaskAttemptID attempt = context.getMapTask().getTaskID();
    try (SignsOfLife alive = SignsOfLife.start(context.getReporter());
        SluiceClient client =
            SluiceClient.start(
                settings.client(), shuffle.shuffle().getApplication(), attempt.toString());
        PushSession session = client.pushSession(shuffle, MapAttempts.of(attempt))) {
      return output.push(session, codec());
    }
  }

  private CompressionCodec codec() {
    JobConf job = context.getJobConf();
    return job.getCompressMapOutput()
        ? ReflectionUtils.newInstance(job.getMapOutputCompressorClass(DefaultCodec.class), job)
        : null;
  }

  private void count(SluiceCounter counter, long more) {
    context.getReporter().incrCounter(counter, more);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    sorted.close();
  }
}
