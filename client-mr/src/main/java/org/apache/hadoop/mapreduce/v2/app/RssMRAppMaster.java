package org.apache.hadoop.mapreduce.v2.app;

import io.sluice.mr.am.JobDefaults;
import io.sluice.mr.am.JobShuffle;
import io.sluice.mr.am.MarkingDispatcher;
import io.sluice.mr.am.SupportedHadoop;
import io.sluice.mr.am.TaskLauncher;
import io.sluice.mr.am.TaskRequests;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.app.job.Job;
import org.apache.hadoop.mapreduce.v2.app.job.Task;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttempt;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncher;
import org.apache.hadoop.mapreduce.v2.app.rm.preemption.AMPreemptionPolicy;
import org.apache.hadoop.mapreduce.v2.util.MRWebAppUtil;
import org.apache.hadoop.util.ExitUtil;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.hadoop.util.VersionInfo;
import org.apache.hadoop.yarn.YarnUncaughtExceptionHandler;
import org.apache.hadoop.yarn.api.ApplicationConstants;
import org.apache.hadoop.yarn.api.ApplicationConstants.Environment;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.event.Dispatcher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Application master of jobs that use Sluice. It replaces Hadoop's application master if its class
 * name is the last argument in {@code yarn.app.mapreduce.am.command-opts}.
 */
public final class RssMRAppMaster extends MRAppMaster {
  private static final Logger LOG = LoggerFactory.getLogger(RssMRAppMaster.class);

  private static final String OPENS_LANG = "--add-opens=java.base/java.lang=";

  private final JobShuffle shuffle;
  private final boolean first;

  public RssMRAppMaster(
      ApplicationAttemptId attempt,
      ContainerId container,
      String nodeHost,
      int nodePort,
      int nodeHttpPort,
      long submittedMs) {
    super(attempt, container, nodeHost, nodePort, nodeHttpPort, submittedMs);
    this.shuffle = new JobShuffle(attempt.getApplicationId().toString());
    this.first = attempt.getAttemptId() == 1;
  }

  @Override
  protected Dispatcher createDispatcher() {
    return MarkingDispatcher.of(this::attempt, shuffle);
  }

  private TaskAttempt attempt(TaskAttemptId id) {
    Job known = getContext().getJob(id.getTaskId().getJobId());
    Task task = known == null ? null : known.getTask(id.getTaskId());
    return task == null ? null : task.getAttempt(id);
  }

  @Override
  protected ContainerLauncher createContainerLauncher(AppContext context) {
    return TaskLauncher.of(super.createContainerLauncher(context), shuffle);
  }

  @Override
  protected TaskAttemptListener createTaskAttemptListener(
      AppContext context, AMPreemptionPolicy preemption) {
    if (getConfig().getBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, false)) {
      // Only Hadoop's listener has the spill key; such a job uses no servers.
      return super.createTaskAttemptListener(context, preemption);
    }
    return TaskRequests.of(
        context, jobTokenSecretManager, getRMHeartbeatHandler(), preemption, shuffle);
  }

  @Override
  protected void serviceStart() throws Exception {
    shuffle.start(getConfig(), first);
    if (shuffle.assignment().isPresent()) {
      JobDefaults.set(getConfig());
    }
    super.serviceStart();
  }

  @Override
  protected void serviceStop() throws Exception {
    try {
      super.serviceStop();
    } finally {
      shuffle.close(isLastAMRetry());
    }
  }

  /** Exits the process; Hadoop's implementation does so only if its own main method started it. */
  @Override
  public void shutDownJob() {
    super.shutDownJob();
    sysexit();
  }

  /** Called by Hadoop, in the environment of the application master's container. */
  public static void main(String[] args) {
    try {
      SupportedHadoop.check(VersionInfo.getVersion());
      checkOptions(args);
      Thread.setDefaultUncaughtExceptionHandler(new YarnUncaughtExceptionHandler());
      ContainerId container = ContainerId.fromString(environment(Environment.CONTAINER_ID.name()));
      RssMRAppMaster master =
          new RssMRAppMaster(
              container.getApplicationAttemptId(),
              container,
              environment(Environment.NM_HOST.name()),
              Integer.parseInt(environment(Environment.NM_PORT.name())),
              Integer.parseInt(environment(Environment.NM_HTTP_PORT.name())),
              Long.parseLong(environment(ApplicationConstants.APP_SUBMIT_TIME_ENV)));
      ShutdownHookManager.get()
          .addShutdownHook(new MRAppMasterShutdownHook(master), SHUTDOWN_HOOK_PRIORITY);
      JobConf conf = new JobConf(new YarnConfiguration());
      conf.addResource(new Path(MRJobConfig.JOB_CONF_FILE));
      MRWebAppUtil.initialize(conf);
      String user = environment(Environment.USER.name());
      conf.set(MRJobConfig.USER_NAME, user);
      initAndStartAppMaster(master, conf, user);
    } catch (Throwable e) {
      LOG.error("application master failed to start", e);
      ExitUtil.terminate(1, e);
    }
  }

  /**
   * YARN appends its options to the user's, so they follow the name of this class and become
   * arguments.
   */
  private static void checkOptions(String[] args) {
    for (String arg : args) {
      if (arg.startsWith(OPENS_LANG) && !isLangOpen()) {
        throw new IllegalStateException(
            "yarn.app.mapreduce.am.command-opts: add "
                + arg
                + " before "
                + RssMRAppMaster.class.getName());
      }
    }
  }

  /** Whether this class may use private members of java.lang by reflection. */
  private static boolean isLangOpen() {
    try {
      Object.class.getDeclaredMethod("clone").setAccessible(true);
      return true;
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("every Java has Object.clone", e);
    } catch (RuntimeException e) {
      // InaccessibleObjectException, which Java 8 does not have.
      return false;
    }
  }

  private static String environment(String name) {
    String value = System.getenv(name);
    if (value == null) {
      throw new IllegalStateException(
          "environment variable " + name + " is not set; this class must be started by YARN");
    }
    return value;
  }
}
