package io.bulwark.gateway.s3.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.error.LimitReachedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class RecentAnswersTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10);
    private final List<String> asked = new ArrayList<>();

    private RecentAnswers<String, String> answers(Function<String, String> ask, int kept, int asking, long waitMillis) {
        return new RecentAnswers<>(
                question -> {
                    synchronized (asked) {
                        asked.add(question);
                    }
                    return ask.apply(question);
                },
                new RecentAnswers.Bounds(100, kept, asking, waitMillis),
                nanos::get);
    }

    /** The clock overflows meanwhile, as that of a JVM may. */
    @Test
    void answerIsValidForItsTime() {
        RecentAnswers<String, String> answers = answers(question -> question + asked.size(), 10, 1, 0);
        assertThat(answers.get("a")).isEqualTo("a1");
        nanos.addAndGet(99);
        assertThat(answers.get("a")).isEqualTo("a1");
        nanos.addAndGet(1);
        assertThat(answers.get("a")).isEqualTo("a2");
        assertThat(asked).containsExactly("a", "a");
    }

    @Test
    void oldestAnswerGoesFirst() {
        RecentAnswers<String, String> answers = answers(question -> question, 2, 1, 0);
        for (String question : List.of("a", "b", "c", "b", "a")) {
            assertThat(answers.get(question)).isEqualTo(question);
        }
        assertThat(asked).containsExactly("a", "b", "c", "a");
    }

    @Test
    void failureIsNoAnswer() {
        AtomicInteger calls = new AtomicInteger();
        RecentAnswers<String, String> answers = answers(
                question -> {
                    if (calls.incrementAndGet() == 1) {
                        throw new IllegalStateException("not yet");
                    }
                    return question;
                },
                2,
                1,
                0);
        assertThatThrownBy(() -> answers.get("a")).isInstanceOf(IllegalStateException.class);
        assertThat(answers.get("a")).isEqualTo("a");
    }

    @Test
    void callersAtTheSameTimeShareAnAnswerAndOthersAreBounded() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        RecentAnswers<String, String> answers = answers(
                question -> {
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return question;
                },
                10,
                1,
                1);
        List<CompletableFuture<String>> same = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            CompletableFuture<String> result = new CompletableFuture<>();
            same.add(result);
            Thread.ofVirtual().start(() -> result.complete(answers.get("a")));
        }
        await().until(() -> {
            synchronized (asked) {
                return asked.size() == 1;
            }
        });
        assertThatThrownBy(() -> answers.get("b"))
                .as("while the only question allowed is under way")
                .isInstanceOf(LimitReachedException.class);
        go.countDown();
        assertThat(same).allMatch(result -> result.join().equals("a"));
        assertThat(answers.get("b")).isEqualTo("b");
        assertThat(asked).containsExactly("a", "b");
    }

    @Test
    void strangersDoNotHinderWhoWasProven() {
        CountDownLatch asking = new CountDownLatch(1);
        CompletableFuture<String> answer = new CompletableFuture<>();
        RecentAnswers<String, String> answers = new RecentAnswers<>(
                question -> {
                    if (question.equals("blocked")) {
                        asking.countDown();
                        return answer.join();
                    }
                    return question;
                },
                "key"::equals,
                new RecentAnswers.Bounds(100, 2, 1, 1),
                nanos::get);
        assertThat(answers.get("key")).isEqualTo("key");
        for (String stranger : List.of("a", "b", "c")) {
            assertThat(answers.get(stranger)).isEqualTo(stranger);
        }
        nanos.addAndGet(100);
        CompletableFuture<String> blocked = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> blocked.complete(answers.get("blocked")));
        await().until(() -> asking.getCount() == 0);
        assertThatThrownBy(() -> answers.get("a")).isInstanceOf(LimitReachedException.class);
        assertThat(answers.get("key")).isEqualTo("key");
        answer.complete("blocked");
        assertThat(blocked.join()).isEqualTo("blocked");
    }
}
