package io.sluice.mr.am;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.mr.AssignmentVariable;
import io.sluice.mr.Assignments;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncher;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerLauncherEvent;
import org.apache.hadoop.mapreduce.v2.app.launcher.ContainerRemoteLaunchEvent;
import org.apache.hadoop.service.AbstractService;
import org.apache.hadoop.service.Service;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.junit.jupiter.api.Test;

class TaskLauncherTest {
  private static final TaskAttemptId ATTEMPT =
      TypeConverter.toYarn(
          org.apache.hadoop.mapreduce.TaskAttemptID.forName("attempt_1_0001_m_000004_0"));

  private final List<ContainerLauncherEvent> launched = new ArrayList<>();
  private final ShuffleInTest shuffle = new ShuffleInTest();
  private final Hadoops hadoops = new Hadoops();
  private final TaskLauncher launcher = new TaskLauncher(hadoops, shuffle);

  private final class Hadoops extends AbstractService implements ContainerLauncher {
    Hadoops() {
      super("hadoops");
    }

    @Override
    public void handle(ContainerLauncherEvent event) {
      launched.add(event);
    }
  }

  private Map<String, String> launch() {
    ApplicationId application = ApplicationId.newInstance(1, 1);
    Container container =
        Container.newInstance(
            ContainerId.newContainerId(ApplicationAttemptId.newInstance(application, 1), 2),
            NodeId.newInstance("node-1.example", 8041),
            "node-1.example:8042",
            Resource.newInstance(256, 1),
            Priority.newInstance(0),
            null);
    ContainerLaunchContext context =
        ContainerLaunchContext.newInstance(
            Map.of(), Map.of("JAVA_HOME", "/java"), List.of("java"), Map.of(), null, Map.of());
    ContainerRemoteLaunchEvent event =
        new ContainerRemoteLaunchEvent(ATTEMPT, context, container, null);
    launcher.handle(event);
    assertThat(launched).last().isSameAs(event);
    return event.getContainerLaunchContext().getEnvironment();
  }

  @Test
  void givesContainersTheNewestAssignment() throws IOException {
    shuffle.assignment = Optional.of(Assignments.of(3, 9));
    assertThat(AssignmentVariable.from(launch())).isEqualTo(shuffle.assignment);

    shuffle.replaceNow("server-1");
    Map<String, String> environment = launch();
    assertThat(AssignmentVariable.from(environment)).isEqualTo(shuffle.assignment);
    assertThat(environment).containsEntry("JAVA_HOME", "/java").hasSize(2);
  }

  @Test
  void leavesContainersUnchangedWithoutAssignment() {
    assertThat(launch()).containsOnlyKeys("JAVA_HOME");
  }

  @Test
  void startsAndStopsHadoopsLauncher() {
    launcher.init(new org.apache.hadoop.conf.Configuration());
    launcher.start();
    assertThat(hadoops.isInState(Service.STATE.STARTED)).isTrue();
    launcher.stop();
    assertThat(hadoops.isInState(Service.STATE.STOPPED)).isTrue();
  }
}
