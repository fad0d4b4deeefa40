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
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shuffle of one job, as its application master sees it: registered, its lease renewed, and
 * ended with the job. Belongs to the application master's main thread, except for what it says.
 */
public final class JobShuffle implements ShuffleOfJob {
  private static final Logger LOG = LoggerFactory.getLogger(JobShuffle.class);

  private String application;
  private volatile SluiceClient client;
  private StagedAssignment staged;

  /** The newest assignment is written last. */
  private final Object staging = new Object();

  private volatile ApplicationAssignments assignments;
  private volatile ServedSettings served = ServedSettings.NONE;
  private ExecutorService replacing;

  /** Of the assignment that reducers have been told last. Touched by the dispatcher only. */
  private int toldGeneration;

  /**
   * @param application Hadoop's id of the job's application, the same for each of its masters
   */
  public JobShuffle(String application) {
    this.application = application;
  }

  /**
   * Registers the job, unless it has nothing to shuffle. Waits at most as long as the job's
   * settings say. Whatever goes wrong, the job shuffles as Hadoop does, with one warning.
   *
   * @param firstMaster whether no application master of the job came before this one
   */
  public void start(Configuration conf, boolean firstMaster) {
    int reduces = conf.getInt(MRJobConfig.NUM_REDUCES, 1);
    if (reduces == 0) {
      LOG.info("no reduce tasks, nothing to shuffle app={}", application);
      return;
    }
    String reason;
    try {
      reason = start(conf, reduces, firstMaster);
    } catch (IOException | RuntimeException e) {
      reason = e.toString();
    }
    if (reason != null) {
      LOG.warn("job uses Hadoop's own shuffle app={} reason={}", application, reason);
      close(true);
    }
  }

  /** Null when the job has an assignment. */
  private String start(Configuration conf, int reduces, boolean firstMaster) throws IOException {
    JobSettings settings = JobSettings.of(conf);
    settings.notices().forEach(notice -> LOG.warn("configuration: {}", notice));
    if (!settings.hasCoordinator()) {
      return "mapreduce.rss.coordinator.quorum is not set; give host:port,host:port";
    }
    if (conf.getBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, false)) {
      return MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA + " is set, servers would have clear text";
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
    ApplicationSession session = client.applicationSession(user, environment);
    ShuffleRegistration registration = session.registerShuffle(AssignmentVariable.SHUFFLE, reduces);
    ShuffleAssignment assigned;
    if (before.isPresent()) {
      // Maps that are not run again have pushed to these servers.
      assigned = before.get();
    } else if (registration instanceof Refused refused) {
      return refused.reason() + ": " + refused.message();
    } else {
      assigned = ((Assigned) registration).assignment();
      AssignmentVariable.check(assigned);
      staged.write(assigned);
    }
    replacing = Executors.newSingleThreadExecutor(DaemonThreads.named("sluice-further-servers"));
    ApplicationAssignments registered =
        new ApplicationAssignments(
            session::replacementServer,
            settings.client().reassign().maxServers(),
            System::nanoTime);
    registered.register(assigned);
    assignments = registered;
    session.onMoved(this::moved);
    LOG.info(
        "job shuffles through Sluice app={} partitions={} servers={} generation={}",
        application,
        reduces,
        assigned.servers().size(),
        assigned.generation());
    return null;
  }

  /** Settings of the operator that cannot be meant are left out, all of them, with one warning. */
  private JobSettings withServed(
      Configuration conf, JobSettings own, String user, Map<String, String> environment) {
    ServedSettings found = ServedSettings.fetch(own.client(), user, environment, System::nanoTime);
    try {
      JobSettings settings = JobSettings.of(conf, found);
      served = found;
      return settings;
    } catch (ConfigException e) {
      LOG.warn(
          "settings of the coordinator are not used, they cannot be meant reason=\"{}\"",
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
  public Optional<ShuffleAssignment> newsForReducers() {
    Optional<ShuffleAssignment> news =
        assignment().filter(newest -> newest.generation() > toldGeneration);
    news.ifPresent(newest -> toldGeneration = newest.generation());
    return news;
  }

  @Override
  public void replace(String server) {
    if (assignment().filter(newest -> !newest.hasReplaced(server)).isPresent()) {
      replacing.execute(() -> around(server));
    }
  }

  @Override
  public Optional<ShuffleAssignment> around(String server) {
    Optional<ShuffleAssignment> before = assignment();
    if (before.isPresent()) {
      ShuffleAssignment after =
          assignments.replace(AssignmentVariable.SHUFFLE, server, Cause.FAILED, List.of());
      if (after.generation() > before.get().generation()) {
        keep();
      }
    }
    return assignment();
  }

  /** A server leaves, and another has what it had: for reducers, and for a further master. */
  private boolean moved(int shuffle, String from, ServerId to) {
    ShuffleAssignment before = assignments.newest(shuffle);
    boolean known = assignments.moved(shuffle, from, to);
    ShuffleAssignment after = assignments.newest(shuffle);
    if (before != null && after != null && after.generation() > before.generation()) {
      keep();
    }
    return known;
  }

  /** For an application master that is started again. */
  private void keep() {
    try {
      synchronized (staging) {
        staged.write(assignments.newest(AssignmentVariable.SHUFFLE));
      }
    } catch (IOException e) {
      LOG.warn(
          "assignment not kept for a further application master app={} reason={}",
          application,
          e.toString());
    }
  }

  /**
   * Ends it. Idempotent.
   *
   * @param last whether no further application master comes: then servers are told to forget the
   *     job; otherwise the lease keeps what they have until the next one renews it
   */
  public void close(boolean last) {
    if (replacing != null) {
      replacing.shutdown();
    }
    if (last && client != null) {
      client.close();
      client = null;
    }
  }
}
