package io.sluice.mr.am;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where there is nothing to register with; with a coordinator: the integration tests. */
@Timeout(120)
class JobShuffleTest {
  @TempDir Path directory;

  private final Configuration conf = new Configuration();
  private final JobShuffle shuffle = new JobShuffle("application_1_0001");

  @BeforeEach
  void job() {
    URI staging = directory.toUri();
    conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, staging.toString());
    conf.setInt(MRJobConfig.NUM_REDUCES, 3);
    // Nobody listens there.
    conf.set("mapreduce.rss.coordinator.quorum", "127.0.0.1:1");
    conf.set("mapreduce.rss.access.timeout.ms", "200");
  }

  private void isHadoopsOwn() {
    shuffle.start(conf, true);
    assertThat(shuffle.assignment()).isEmpty();
    assertThat(directory).isEmptyDirectory();
    shuffle.replace("server-1");
    assertThat(shuffle.newsForReducers()).isEmpty();
    shuffle.close(true);
    shuffle.close(true);
  }

  @Test
  void isHadoopsOwnWithoutACoordinatorThatAnswers() {
    isHadoopsOwn();
  }

  @Test
  void isHadoopsOwnWhereTheUserIsDeniedWithOneWarningThatSaysWhy() throws Exception {
    List<String> warnings = new ArrayList<>();
    AppenderSkeleton appender =
        new AppenderSkeleton() {
          @Override
          protected void append(LoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
              warnings.add(event.getRenderedMessage());
            }
          }

          @Override
          public void close() {}

          @Override
          public boolean requiresLayout() {
            return false;
          }
        };
    Logger logger = Logger.getLogger(JobShuffle.class);
    logger.addAppender(appender);
    try (CoordinatorInTest coordinator = new CoordinatorInTest()) {
      coordinator.denial = "user bob is denied: ask the operator";
      conf.set("mapreduce.rss.coordinator.quorum", coordinator.quorum());
      conf.set("mapreduce.rss.access.timeout.ms", "20s");
      isHadoopsOwn();
    } finally {
      logger.removeAppender(appender);
    }
    assertThat(warnings)
        .singleElement()
        .asString()
        .endsWith("reason=DENIED: user bob is denied: ask the operator");
  }

  @Test
  void isHadoopsOwnWithoutACoordinator() {
    conf.unset("mapreduce.rss.coordinator.quorum");
    isHadoopsOwn();
  }

  @Test
  void isHadoopsOwnWithoutReducers() {
    conf.setInt(MRJobConfig.NUM_REDUCES, 0);
    isHadoopsOwn();
  }

  @Test
  void isHadoopsOwnWithSettingsThatCannotBeMeant() {
    conf.set("mapreduce.rss.data.replica", "many");
    isHadoopsOwn();
  }

  @Test
  void isHadoopsOwnWhereOutputIsToBeEncrypted() {
    conf.setBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, true);
    isHadoopsOwn();
  }

  @Test
  void isHadoopsOwnWithoutAStagingDirectory() {
    conf.unset(MRJobConfig.MAPREDUCE_JOB_DIR);
    isHadoopsOwn();
  }
}
