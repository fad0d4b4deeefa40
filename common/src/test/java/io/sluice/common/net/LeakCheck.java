package io.sluice.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Fails a test class during which a Netty buffer was collected without having been released. */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
  private static final Logger LOG = LoggerFactory.getLogger(LeakCheck.class);
  private static final int COLLECTIONS = 4;

  @Override
  public void beforeAll(ExtensionContext context) {
    assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
    // Netty goes on with its own detector, which only logs, when it does not find this one.
    assertThat(ResourceLeakDetectorFactory.instance().newResourceLeakDetector(ByteBuf.class))
        .as("leak detector; its class must be on the path of the system class loader")
        .isInstanceOf(RecordingLeakDetector.class);
    for (String leak : collect()) {
      LOG.warn("buffer leaked before this class was run class={} leak={}", name(context), leak);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    assertThat(collect()).as("buffers lost during %s", name(context)).isEmpty();
  }

  /** The leaks that nobody has been told of yet: each is reported once. */
  static List<String> collect() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      // Netty looks for collected buffers when it hands out another one.
      PooledByteBufAllocator.DEFAULT.directBuffer(64).release();
      PooledByteBufAllocator.DEFAULT.heapBuffer(64).release();
    }
    List<String> leaks = new ArrayList<>();
    for (String leak = RecordingLeakDetector.LEAKS.poll();
        leak != null;
        leak = RecordingLeakDetector.LEAKS.poll()) {
      leaks.add(leak);
    }
    return leaks;
  }

  private static String name(ExtensionContext context) {
    return context.getRequiredTestClass().getSimpleName();
  }
}
