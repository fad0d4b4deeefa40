package io.sluice.backport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Methods of {@code List}, {@code Set}, {@code Map}, {@code Collection} and {@code Stream}. */
class CollectionMethodsTest {
  @Test
  void listsAreThoseOfTheJdk() {
    assertThat(ListMethods.of()).isEqualTo(List.of());
    assertThat(ListMethods.of(1)).isEqualTo(List.of(1));
    assertThat(ListMethods.of(1, 2)).isEqualTo(List.of(1, 2));
    assertThat(ListMethods.of(1, 2, 3)).isEqualTo(List.of(1, 2, 3));
    assertThat(ListMethods.of(1, 2, 3, 4)).isEqualTo(List.of(1, 2, 3, 4));
    assertThat(ListMethods.of(1, 2, 3, 4, 5)).isEqualTo(List.of(1, 2, 3, 4, 5));
    assertThat(ListMethods.of(1, 2, 3, 4, 5, 6)).isEqualTo(List.of(1, 2, 3, 4, 5, 6));
    assertThat(ListMethods.of(1, 2, 3, 4, 5, 6, 7)).isEqualTo(List.of(1, 2, 3, 4, 5, 6, 7));
    assertThat(ListMethods.of(1, 2, 3, 4, 5, 6, 7, 8)).isEqualTo(List.of(1, 2, 3, 4, 5, 6, 7, 8));
    assertThat(ListMethods.of(1, 2, 3, 4, 5, 6, 7, 8, 9))
        .isEqualTo(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9));
    assertThat(ListMethods.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
        .isEqualTo(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    assertThat(ListMethods.of(new Integer[] {1, 2, 3})).isEqualTo(List.of(1, 2, 3));
    assertThat(ListMethods.copyOf(Arrays.asList(3, 2))).isEqualTo(List.of(3, 2));
  }

  @Test
  void listsDoNotChangeAndHaveNoNulls() {
    Integer[] source = {1, 2};
    List<Integer> list = ListMethods.of(source);
    source[0] = 9;

    assertThat(list).isEqualTo(List.of(1, 2));
    assertThat(ListMethods.copyOf(list)).isSameAs(list);
    assertThatThrownBy(() -> list.add(3)).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> list.set(0, 3)).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> list.remove(0)).isInstanceOf(UnsupportedOperationException.class);
    list.toArray()[0] = 9;
    assertThat(list.get(0)).isEqualTo(1);
    assertThatThrownBy(() -> ListMethods.of(1, null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> ListMethods.copyOf(Collections.singletonList(null)))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void listsAreSerializable() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream output = new ObjectOutputStream(bytes)) {
      output.writeObject(ListMethods.of("a", "b"));
    }
    try (ObjectInputStream input =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      assertThat(input.readObject()).isEqualTo(List.of("a", "b"));
    }
  }

  @Test
  void setsAreThoseOfTheJdk() {
    assertThat(SetMethods.of()).isEqualTo(Set.of());
    assertThat(SetMethods.of(1)).isEqualTo(Set.of(1));
    assertThat(SetMethods.of(new Integer[] {1, 2})).isEqualTo(Set.of(1, 2));
    assertThat(SetMethods.copyOf(List.of(1, 2, 1))).isEqualTo(Set.of(1, 2));
    assertThatThrownBy(() -> SetMethods.of(new Integer[] {1, 1}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SetMethods.copyOf(Collections.singletonList(null)))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> SetMethods.of(1).add(2))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void mapsAreThoseOfTheJdk() {
    assertThat(MapMethods.of()).isEqualTo(Map.of());
    assertThat(MapMethods.of(1, "a")).isEqualTo(Map.of(1, "a"));
    assertThat(MapMethods.of(1, 2, 3, 4, 5, 6)).isEqualTo(Map.of(1, 2, 3, 4, 5, 6));
    assertThat(MapMethods.of(1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10).keySet())
        .containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    assertThat(MapMethods.ofEntries(MapMethods.entry(1, "a"), Map.entry(2, "b")))
        .isEqualTo(Map.of(1, "a", 2, "b"));
    assertThat(MapMethods.copyOf(Map.of(1, 2))).isEqualTo(Map.of(1, 2));
    assertThatThrownBy(() -> MapMethods.of(1, 2, 1, 3))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> MapMethods.of(1, null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> MapMethods.entry(null, 1)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> MapMethods.of(1, 2).put(3, 4))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void copiesDoNotFollowTheirSource() {
    Map<Integer, Integer> map = new HashMap<>(Map.of(1, 2));
    List<Integer> list = new ArrayList<>(List.of(1));
    Map<Integer, Integer> mapCopy = MapMethods.copyOf(map);
    Set<Integer> setCopy = SetMethods.copyOf(list);
    List<Integer> listCopy = ListMethods.copyOf(list);
    map.put(3, 4);
    list.add(5);

    assertThat(mapCopy).isEqualTo(Map.of(1, 2));
    assertThat(setCopy).containsExactly(1);
    assertThat(listCopy).containsExactly(1);
  }

  @Test
  void arraysAndStreams() {
    assertThat(CollectionMethods.toArray(List.of("a", "b"), String[]::new))
        .isInstanceOf(String[].class)
        .containsExactly("a", "b");
    List<String> withNull = StreamMethods.toList(Stream.of("a", null));
    assertThat(withNull).containsExactly("a", null);
    assertThatThrownBy(() -> withNull.set(0, "b"))
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
