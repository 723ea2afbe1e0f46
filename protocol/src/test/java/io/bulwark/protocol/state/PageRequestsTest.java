package io.bulwark.protocol.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests which replica is asked for which page, and when. */
@NullMarked
class PageRequestsTest {
    private static final int LATE = 4;

    private final PageRequests requests = new PageRequests(List.of(LATE, 5, 6), FetchSettings.DEFAULT, 1);
    private long nowMillis;
    private int pages;

    private static Bytes page(int number) {
        return new WireWriter().i32(number).toBytes();
    }

    /** Requests one more page and returns the messages sent for it. */
    private List<FetchEffect.Send> want() {
        requests.want(Hashes.sha256(page(pages++)));
        return tick();
    }

    private List<FetchEffect.Send> tick() {
        List<FetchEffect> out = new ArrayList<>();
        requests.onTick(nowMillis, out);
        return out.stream().map(FetchEffect.Send.class::cast).toList();
    }

    private void answer(FetchEffect.Send asked, int page) {
        List<FetchEffect> out = new ArrayList<>();
        assertThat(requests.onPages(nowMillis, asked.replica(), asked.token(), List.of(page(page)), out))
                .hasSize(1);
    }

    @Test
    void whoWasLateIsAskedOnlyForWhatTheOthersHaveNoRoomFor() {
        FetchEffect.Send late = want().getFirst();
        assertThat(late.replica()).isEqualTo(LATE);
        nowMillis += 50;
        FetchEffect.Send instead = tick().getFirst();
        assertThat(instead.replica()).isEqualTo(5);
        nowMillis += 5;
        answer(instead, 0);
        assertThat(requests.open()).isZero();
        for (int i = 1; i < 8; i++) {
            FetchEffect.Send next = want().getFirst();
            assertThat(next.replica()).isNotEqualTo(LATE);
            nowMillis += 5;
            answer(next, i);
        }
        List<FetchEffect.Send> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.addAll(want());
        }
        assertThat(all).extracting(FetchEffect.Send::replica).containsExactly(5, 6, 5, 6, LATE);
        List<FetchEffect> out = new ArrayList<>();
        assertThat(requests.onPages(nowMillis, LATE, late.token(), List.of(page(0)), out))
                .as("it has come from another one")
                .isEmpty();
        assertThat(out).isEmpty();
    }

    @Test
    void whereAllAreLateNobodyIs() {
        FetchEffect.Send first = want().getFirst();
        for (int i = 0; i < 3; i++) {
            nowMillis += 50;
            tick();
        }
        nowMillis += 5;
        answer(first, 0);
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            want().forEach(send -> asked.add(send.replica()));
        }
        assertThat(asked).as("in turn again").containsExactlyInAnyOrder(LATE, 5, 6);
    }
}
