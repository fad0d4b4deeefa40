package io.sluice.mr.am;

import io.sluice.common.error.SluiceException;
import io.sluice.mr.AssignmentVariable;
import io.sluice.mr.JobCredentials;
import io.sluice.mr.JobSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncher;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncherEvent;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerRemoteLaunchEvent;
import org.apache.hadoop.service.CompositeService;
import org.apache.hadoop.service.Service;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;

/**
 * Adds assignment, credential and settings to every container before Hadoop's launcher launches it.
 */
public final class TaskLauncher extends CompositeService implements ContainerLauncher {
  private final ContainerLauncher launcher;
  private final JobAssignment shuffle;

  TaskLauncher(ContainerLauncher launcher, JobAssignment shuffle) {
    super(TaskLauncher.class.getName());
    this.launcher = launcher;
    this.shuffle = shuffle;
    if (launcher instanceof Service service) {
      addService(service);
    }
  }

  /** Wraps Hadoop's launcher and starts and stops it. */
  public static TaskLauncher of(ContainerLauncher launcher, JobShuffle shuffle) {
    return new TaskLauncher(launcher, shuffle);
  }

  @Override
  public void handle(ContainerLauncherEvent event) {
    if (event instanceof ContainerRemoteLaunchEvent launch) {
      shuffle
          .assignment()
          .ifPresent(
              assignment -> {
                ContainerLaunchContext container = launch.getContainerLaunchContext();
                Map<String, String> environment = new HashMap<>(container.getEnvironment());
                try {
                  AssignmentVariable.put(environment, assignment);
                } catch (SluiceException e) {
                  throw new IllegalStateException("internal error: assignment too long", e);
                }
                JobSettings.put(environment, shuffle.served());
                container.setEnvironment(environment);
                try {
                  container.setTokens(
                      JobCredentials.forTask(container.getTokens(), shuffle.credentials()));
                } catch (IOException e) {
                  throw new UncheckedIOException(
                      "internal error: container credentials written by Hadoop are unreadable", e);
                }
              });
    }
    launcher.handle(event);
  }
}
