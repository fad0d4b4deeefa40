package io.sluice.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SocketIoTest {
  private static SocketIo selectWithout(IoMode requested, Set<IoMode> missing, List<String> log) {
    Logger logger = (Logger) LoggerFactory.getLogger(SocketIo.class);
    ListAppender<ILoggingEvent> appender = new ListAppender<>();
    appender.start();
    logger.addAppender(appender);
    try {
      SocketIo io =
          SocketIo.select(
              requested,
              mode ->
                  missing.contains(mode)
                      ? new UnsatisfiedLinkError("no " + mode + " in this kernel")
                      : null);
      appender.list.forEach(event -> log.add(event.getFormattedMessage()));
      return io;
    } finally {
      logger.detachAppender(appender);
    }
  }

  @Test
  void usesTheRequestedModeWithoutALogLine() {
    for (IoMode mode : IoMode.values()) {
      List<String> log = new ArrayList<>();
      assertThat(selectWithout(mode, EnumSet.noneOf(IoMode.class), log).mode()).isEqualTo(mode);
      assertThat(log).isEmpty();
    }
  }

  @Test
  void usesTheNextModeAndLogsOnce() {
    List<String> log = new ArrayList<>();

    assertThat(selectWithout(IoMode.IO_URING, EnumSet.of(IoMode.IO_URING), log).mode())
        .isEqualTo(IoMode.EPOLL);

    assertThat(log)
        .singleElement()
        .asString()
        .contains("requested=IO_URING", "used=EPOLL", "no IO_URING in this kernel");
  }

  @Test
  void usesNioWithoutNativeModes() {
    Set<IoMode> natives = EnumSet.of(IoMode.IO_URING, IoMode.EPOLL);
    for (IoMode requested : natives) {
      List<String> log = new ArrayList<>();

      SocketIo io = selectWithout(requested, natives, log);

      assertThat(io.mode()).isEqualTo(IoMode.NIO);
      assertThat(io.socketClass().getSimpleName()).startsWith("Nio");
      assertThat(log).singleElement().asString().contains("requested=" + requested, "used=NIO");
    }
  }

  @Test
  void selectsAModeOnEveryHost() {
    for (IoMode requested : IoMode.values()) {
      assertThat(SocketIo.select(requested).mode()).isNotNull();
    }
    assertThat(SocketIo.select(IoMode.NIO).mode()).isEqualTo(IoMode.NIO);
  }
}
