package io.sluice.mr.am;

import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ServedSettings;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.client.push.ReplacementServers.Cause;
import io.sluice.client.security.ClientIdentity;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.config.ConfigException;
import io.sluice.common.net.DaemonThreads;
import io.sluice.mr.AssignmentVariable;
import io.sluice.mr.JobCredentials;
import io.sluice.mr.JobSettings;
import io.sluice.proto.ServerId;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shuffle of one job in its application master: registers it, renews its lease, and unregisters
 * it when the job ends. Used by the application master's main thread, except for the methods of
 * {@link JobAssignment}.
 */
public final class JobShuffle implements JobAssignment {
  private static final Logger LOG = LoggerFactory.getLogger(JobShuffle.class);

  private String application;
  private volatile SluiceClient client;
  private StagedAssignment staged;

  /** Lock for writes of the staged assignment, so that the newest is written last. */
  private final Object staging = new Object();

  private volatile ApplicationAssignments assignments;
  private volatile ServedSettings served = ServedSettings.NONE;
  private final JobReceipts receipts = new JobReceipts();
  private final JobTasks tasks = new JobTasks();
  private volatile IntConsumer wrongReceipts = attempts -> {};
  private ExecutorService replacementExecutor;

  /** Generation of the assignment last sent to reducers. Used only by the dispatcher thread. */
  private int reportedGeneration;

  /**
   * @param application Hadoop's id of the job's application, the same for all of its masters
   */
  public JobShuffle(String application) {
    this.application = application;
  }

  /**
   * Registers the job, unless it has no reduce tasks. Waits for at most the configured timeouts. On
   * any failure the job falls back to Hadoop's built-in shuffle, with one warning.
   *
   * @param firstMaster whether this is the first attempt of the application master
   */
  public void start(Configuration conf, boolean firstMaster) {
    int reduces = conf.getInt(MRJobConfig.NUM_REDUCES, 1);
    if (reduces == 0) {
      LOG.info("job has no shuffle: it has no reduce tasks application={}", application);
      return;
    }
    String reason;
    try {
      reason = start(conf, reduces, firstMaster);
    } catch (IOException | RuntimeException e) {
      reason = e.toString();
    }
    if (reason != null) {
      LOG.warn(
          "job falls back to Hadoop's built-in shuffle application={} reason=\"{}\"",
          application,
          reason);
      close(true);
    }
  }

  /** Returns null if the job has an assignment, otherwise the reason of the fallback. */
  private String start(Configuration conf, int reduces, boolean firstMaster) throws IOException {
    JobSettings settings = JobSettings.of(conf);
    settings.notices().forEach(notice -> LOG.warn("configuration: {}", notice));
    if (!settings.hasCoordinator()) {
      return "mapreduce.rss.coordinator.quorum is not set; set it to host:port,host:port";
    }
    if (conf.getBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, false)) {
      return MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA
          + "=true is not supported: servers would store the data unencrypted";
    }
    Path directory = new Path(conf.get(MRJobConfig.MAPREDUCE_JOB_DIR));
    staged = new StagedAssignment(conf, directory);
    String user = conf.get(MRJobConfig.USER_NAME, "unknown");
    Map<String, String> environment =
        JobCredentials.environment(
            System.getenv(), UserGroupInformation.getCurrentUser().getCredentials());
    settings = withServed(conf, settings, user, environment);
    application =
        ClientIdentity.applicationName(
            settings.client().security(), user, environment, application);
    Optional<ShuffleAssignment> before = firstMaster ? Optional.empty() : staged.read();
    client = SluiceClient.start(settings.client(), application, "mr-application-master");
    ApplicationSession session = client.applicationSession(user, environment, served);
    ShuffleRegistration registration = session.registerShuffle(AssignmentVariable.SHUFFLE, reduces);
    ShuffleAssignment assigned;
    if (before.isPresent()) {
      // Completed maps are not run again; their output is on these servers.
      assigned = before.get();
    } else if (registration instanceof Refused refused) {
      return refused.reason() + ": " + refused.message();
    } else {
      assigned = ((Assigned) registration).assignment();
      AssignmentVariable.check(assigned);
      staged.write(assigned);
    }
    replacementExecutor =
        Executors.newSingleThreadExecutor(DaemonThreads.named("sluice-replacement-servers"));
    ApplicationAssignments registered =
        new ApplicationAssignments(
            session::replacementServer,
            settings.client().reassign().maxServers(),
            System::nanoTime);
    registered.register(assigned);
    assignments = registered;
    session.onMoved(this::moved);
    session.receiptsFrom(receipts::all);
    session.tasksFrom(tasks::all);
    wrongReceipts = session::reportWrongReceipts;
    LOG.info(
        "job uses Sluice application={} partitions={} servers={} generation={}",
        application,
        reduces,
        assigned.servers().size(),
        assigned.generation());
    return null;
  }

  /** Adds the operator's settings. If one is invalid, all are ignored, with one warning. */
  private JobSettings withServed(
      Configuration conf, JobSettings own, String user, Map<String, String> environment) {
    ServedSettings found = ServedSettings.fetch(own.client(), user, environment, System::nanoTime);
    try {
      JobSettings settings = JobSettings.of(conf, found);
      served = found;
      return settings;
    } catch (ConfigException e) {
      LOG.warn(
          "ignoring all client settings from the coordinator: a value is invalid application={}"
              + " reason=\"{}\"",
          application,
          e.getMessage());
      return own;
    }
  }

  @Override
  public ServedSettings served() {
    return served;
  }

  @Override
  public Optional<ShuffleAssignment> assignment() {
    return Optional.ofNullable(assignments).map(all -> all.newest(AssignmentVariable.SHUFFLE));
  }

  @Override
  public ApplicationCredentials credentials() {
    SluiceClient ours = client;
    return ours == null ? new ApplicationCredentials() : ours.credentials();
  }

  @Override
  public JobReceipts receipts() {
    return receipts;
  }

  @Override
  public JobTasks tasks() {
    return tasks;
  }

  @Override
  public void reportWrongReceipts(int attempts) {
    wrongReceipts.accept(attempts);
  }

  @Override
  public Optional<ShuffleAssignment> unreportedAssignment() {
    Optional<ShuffleAssignment> news =
        assignment().filter(newest -> newest.generation() > reportedGeneration);
    news.ifPresent(newest -> reportedGeneration = newest.generation());
    return news;
  }

  @Override
  public void replace(String server) {
    if (assignment().filter(newest -> !newest.hasReplaced(server)).isPresent()) {
      replacementExecutor.execute(() -> replaceNow(server));
    }
  }

  @Override
  public Optional<ShuffleAssignment> replaceNow(String server) {
    Optional<ShuffleAssignment> before = assignment();
    if (before.isPresent()) {
      ShuffleAssignment after =
          assignments.replace(AssignmentVariable.SHUFFLE, server, Cause.FAILED, List.of());
      if (after.generation() > before.get().generation()) {
        persistAssignment();
      }
    }
    return assignment();
  }

  /** Records that another server has the data of a leaving or lost server. */
  private boolean moved(int shuffle, String from, ServerId to, boolean lost) {
    ShuffleAssignment before = assignments.newest(shuffle);
    boolean known = assignments.moved(shuffle, from, to, lost);
    ShuffleAssignment after = assignments.newest(shuffle);
    if (before != null && after != null && after.generation() > before.generation()) {
      persistAssignment();
    }
    return known;
  }

  /** Writes the newest assignment for a restarted application master. */
  private void persistAssignment() {
    try {
      synchronized (staging) {
        staged.write(assignments.newest(AssignmentVariable.SHUFFLE));
      }
    } catch (IOException e) {
      LOG.warn(
          "new assignment not written to the staging directory; a restarted application master"
              + " would use the previous one application={} reason=\"{}\"",
          application,
          e.toString());
    }
  }

  /**
   * Closes the shuffle. Idempotent.
   *
   * @param last whether this is the last application master of the job; if so, the job is
   *     unregistered. Otherwise servers keep its data until the lease expires or the next master
   *     renews it
   */
  public void close(boolean last) {
    if (replacementExecutor != null) {
      replacementExecutor.shutdown();
    }
    if (last && client != null) {
      client.close();
      client = null;
    }
  }
}
