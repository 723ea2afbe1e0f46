package io.bulwark.protocol.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("a trial sets system properties")
class MutationTrialTest {
    private static final String SUBJECT = Subject.class.getName();
    private static final String SOURCE = """
        package io.bulwark.protocol.mutation;
        final class MutationTrialTest$Subject {
            static int answer() { return 41; }
        }
        """;

    private final Compiler compiler = new Compiler();
    private final MutationTrial trial = new MutationTrial(Duration.ofSeconds(30));

    @AfterEach
    void close() throws IOException {
        compiler.close();
    }

    @Test
    void theMutatedClassFailsItsTest() throws ReflectiveOperationException {
        assertThat(trial.run(compiler.compile(SUBJECT, SOURCE), test("theAnswerIsRight"), 1))
                .get()
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void theRightClassPassesItsTest() throws ReflectiveOperationException {
        assertThat(trial.run(Map.of(), test("theAnswerIsRight"), 1)).isEmpty();
    }

    @Test
    void theNumberOfSeedsIsGivenToTheTest() throws ReflectiveOperationException {
        assertThat(trial.run(Map.of(), test("thereAreSevenRuns"), 7)).isEmpty();
        assertThat(trial.run(Map.of(), test("thereAreSevenRuns"), 8)).isPresent();
    }

    @Test
    void aTestThatDoesNotEndFindsNothing() {
        assertThatThrownBy(() -> new MutationTrial(Duration.ofMillis(200)).run(Map.of(), test("thisDoesNotEnd"), 1))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("did not end");
    }

    @Test
    void aClassThatDoesNotLinkFindsNothing() {
        String source = SOURCE.replace("int answer()", "long other()");
        assertThatThrownBy(() -> trial.run(compiler.compile(SUBJECT, source), test("theAnswerIsRight"), 1))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("could not run");
    }

    @Test
    void aSourceThatDoesNotCompileIsRefused() {
        assertThatThrownBy(() -> compiler.compile(SUBJECT, SOURCE.replace("int", "it")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("does not compile");
    }

    private static Method test(String name) throws NoSuchMethodException {
        return Sample.class.getDeclaredMethod(name);
    }

    static final class Subject {
        static int answer() {
            return 42;
        }

        private Subject() {}
    }

    /** Not a test class of its own: trials alone run it. */
    static final class Sample {
        @Test
        void theAnswerIsRight() {
            assertThat(Subject.answer()).isEqualTo(42);
        }

        @Test
        void thereAreSevenRuns() {
            assertThat(System.getProperty("bulwark.runs")).isEqualTo("7");
        }

        @Test
        void thisDoesNotEnd() throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }
}
