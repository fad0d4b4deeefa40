package io.sluice.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test class during which a Netty buffer was collected without having been released. */
public final class LeakCheck implements BeforeAllCallback, AfterAllCallback {
  private static final int COLLECTIONS = 4;

  @Override
  public void beforeAll(ExtensionContext context) {
    assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
    assertThat(System.getProperty("io.netty.customResourceLeakDetector"))
        .isEqualTo(RecordingLeakDetector.class.getName());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      // Netty looks for collected buffers when it hands out another one.
      PooledByteBufAllocator.DEFAULT.directBuffer(64).release();
      PooledByteBufAllocator.DEFAULT.heapBuffer(64).release();
    }
    List<String> leaks = new ArrayList<>();
    // Taken away, so that the next class is not blamed for them.
    for (String leak = RecordingLeakDetector.LEAKS.poll();
        leak != null;
        leak = RecordingLeakDetector.LEAKS.poll()) {
      leaks.add(leak);
    }
    assertThat(leaks).isEmpty();
  }
}
