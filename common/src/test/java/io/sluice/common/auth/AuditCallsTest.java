package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.management.ThreadMXBean;
import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.UnregisterShufflesReply;
import io.sluice.proto.UnregisterShufflesRequest;
import java.lang.management.ManagementFactory;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AuditCallsTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.LOGGER);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final AuditCalls audit = new AuditCalls(new AuditLog());

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void end() {
    logger.detachAppender(lines);
  }

  /** A call without a transport. */
  private static final class QuietCall
      extends ServerCall<UnregisterShufflesRequest, UnregisterShufflesReply> {
    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(UnregisterShufflesReply message) {}

    @Override
    public void close(Status status, Metadata trailers) {}

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public Attributes getAttributes() {
      return Attributes.EMPTY;
    }

    @Override
    public MethodDescriptor<UnregisterShufflesRequest, UnregisterShufflesReply>
        getMethodDescriptor() {
      return ShuffleServerControlGrpc.getUnregisterShufflesMethod();
    }
  }

  private static UnregisterShufflesRequest request(int shuffles) {
    return UnregisterShufflesRequest.newBuilder()
        .setApplication("app")
        .addAllShuffles(IntStream.range(0, shuffles).boxed().toList())
        .build();
  }

  private void answered(UnregisterShufflesRequest request) {
    audit
        .interceptCall(
            new QuietCall(),
            new Metadata(),
            (call, headers) ->
                new ServerCall.Listener<UnregisterShufflesRequest>() {
                  @Override
                  public void onMessage(UnregisterShufflesRequest message) {
                    call.close(
                        Status.PERMISSION_DENIED.withDescription("not yours"), new Metadata());
                  }
                })
        .onMessage(request);
  }

  private String shuffles() {
    return lines.list.get(0).getKeyValuePairs().stream()
        .filter(pair -> pair.key.equals("shuffle"))
        .map(pair -> String.valueOf(pair.value))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void anEntryTakesNoMoreForALargeRequest() {
    UnregisterShufflesRequest large = request(1 << 20);
    // The first call loads classes.
    answered(request(1));
    lines.list.clear();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();

    long before = threads.getThreadAllocatedBytes(thread);
    answered(large);
    long allocated = threads.getThreadAllocatedBytes(thread) - before;

    assertThat(allocated).isLessThan(64 << 10);
    assertThat(shuffles()).startsWith("0,1,2,").endsWith("38,39,… and 1048536 more");
  }

  @Test
  void anEntryNamesTheShufflesOfAnOrdinaryRequest() {
    answered(request(3));

    assertThat(shuffles()).isEqualTo("0,1,2");
  }
}
