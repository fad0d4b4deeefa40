package io.sluice.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.service.ClientConnection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FairQueueTest {
  private static final ClientConnection A1 = new ClientConnection("a", "test", "1");
  private static final ClientConnection A2 = new ClientConnection("a", "test", "2");
  private static final ClientConnection B = new ClientConnection("b", "test", "3");

  private final FairQueue<String> queue = new FairQueue<>();

  @Test
  void takesApplicationsInTurnAndTheirConnectionsInTurn() {
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
  void passesOverWhoMayNotGo() {
    queue.add(A1, "a1");
    queue.add(A2, "a2");
    assertThat(queue.poll(item -> item.equals("a2"))).isEqualTo("a2");
    assertThat(queue.poll(item -> false)).isNull();
    assertThat(queue.poll(item -> true)).isEqualTo("a1");
  }

  @Test
  void takesOutWhatIsGivenUp() {
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

  private List<String> pollAll() {
    List<String> all = new ArrayList<>();
    for (String item = queue.poll(x -> true); item != null; item = queue.poll(x -> true)) {
      all.add(item);
    }
    return all;
  }
}
