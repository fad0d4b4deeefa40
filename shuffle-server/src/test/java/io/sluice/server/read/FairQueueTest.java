package io.sluice.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.transport.server.ClientConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FairQueueTest {
  private static final ClientConnection A1 = new ClientConnection("a", "test", "1");
  private static final ClientConnection A2 = new ClientConnection("a", "test", "2");
  private static final ClientConnection B = new ClientConnection("b", "test", "3");

  private final FairQueue<String> queue = new FairQueue<>(item -> 1);

  @Test
  void servesApplicationsAndTheirConnectionsInTurn() {
    for (int i = 0; i < 3; i++) {
      queue.add(A1, "a1-" + i);
    }
    queue.add(A2, "a2-0");
    queue.add(B, "b-0");
    queue.add(B, "b-1");
    assertThat(queue.size()).isEqualTo(6);
    assertThat(pollAll()).containsExactly("a1-0", "b-0", "a2-0", "b-1", "a1-1", "a1-2");
    assertThat(queue.size()).isZero();
  }

  @Test
  void skipsItemsThatAreNotAdmissible() {
    queue.add(A1, "a1");
    queue.add(A2, "a2");
    assertThat(queue.poll(item -> item.equals("a2"))).isEqualTo("a2");
    assertThat(queue.poll(item -> false)).isNull();
    assertThat(queue.poll(item -> true)).isEqualTo("a1");
  }

  @Test
  void removesCancelledItems() {
    queue.add(A1, "a1");
    queue.add(A1, "a2");
    assertThat(queue.remove(A1, "a2")).isTrue();
    assertThat(queue.remove(A1, "a2")).isFalse();
    assertThat(queue.remove(B, "a1")).isFalse();
    assertThat(queue.remove(A1, "a1")).isTrue();
    assertThat(pollAll()).isEmpty();
    queue.add(B, "b");
    assertThat(queue.removeAll()).containsExactly("b");
    assertThat(queue.size()).isZero();
  }

  /** A request and its bytes. */
  private record Request(String application, long bytes) {}

  /**
   * Goal: two waiting applications get the same number of bytes, independent of their requests.
   * Method: the large application has ten connections with requests of up to 16 MiB, the small one
   * has one connection with requests of up to 64 KiB; both always have queued requests.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void saturatedApplicationsGetTheSameBytes(long seed) {
    Random random = new Random(seed);
    FairQueue<Request> fair = new FairQueue<>(Request::bytes);
    List<ClientConnection> large = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      large.add(new ClientConnection("large", "test", "l" + i));
    }
    ClientConnection small = new ClientConnection("small", "test", "s");
    for (int i = 0; i < 20; i++) {
      fair.add(large.get(i % 10), new Request("large", 1 + random.nextInt(16 << 20)));
      fair.add(small, new Request("small", 1 + random.nextInt(64 << 10)));
    }
    long ofLarge = 0;
    long ofSmall = 0;
    for (int i = 0; i < 20_000; i++) {
      Request given = fair.poll(item -> true);
      if (given.application().equals("large")) {
        ofLarge += given.bytes();
        fair.add(large.get(random.nextInt(10)), new Request("large", 1 + random.nextInt(16 << 20)));
      } else {
        ofSmall += given.bytes();
        fair.add(small, new Request("small", 1 + random.nextInt(64 << 10)));
      }
      assertThat(Math.abs(ofLarge - ofSmall)).as("seed %d step %d", seed, i).isLessThan(17 << 20);
    }
  }

  @Test
  void aNewApplicationIsServedNextWithoutCredit() {
    FairQueue<Request> fair = new FairQueue<>(Request::bytes);
    for (int i = 0; i < 100; i++) {
      fair.add(A1, new Request("a", 10));
    }
    for (int i = 0; i < 50; i++) {
      assertThat(fair.poll(item -> true).application()).isEqualTo("a");
    }
    for (int i = 0; i < 100; i++) {
      fair.add(B, new Request("b", 10));
    }
    int ofB = 0;
    for (int i = 0; i < 20; i++) {
      ofB += fair.poll(item -> true).application().equals("b") ? 1 : 0;
    }
    assertThat(ofB).isBetween(10, 11);
  }

  @Test
  void chargesAnApplicationForItsPreviousRequest() {
    FairQueue<Request> fair = new FairQueue<>(Request::bytes);
    for (int i = 0; i < 100; i++) {
      fair.add(A1, new Request("a", 10));
    }
    fair.add(B, new Request("b", 100));
    long ofA = 0;
    long ofB = 0;
    for (int i = 0; i < 60; i++) {
      Request given = fair.poll(item -> true);
      if (given.application().equals("b")) {
        ofB += given.bytes();
        // It has no queued request in between.
        fair.add(B, new Request("b", 100));
      } else {
        ofA += given.bytes();
      }
    }
    assertThat(Math.abs(ofA - ofB)).isLessThanOrEqualTo(100);
  }

  private List<String> pollAll() {
    List<String> all = new ArrayList<>();
    for (String item = queue.poll(x -> true); item != null; item = queue.poll(x -> true)) {
      all.add(item);
    }
    return all;
  }
}
