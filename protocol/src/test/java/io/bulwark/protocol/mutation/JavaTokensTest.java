package io.bulwark.protocol.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class JavaTokensTest {
    private static final String SOURCE = """
        int f(int a) {
            // a >= 1
            return a // the sum
                >=2 ? g("a >= 2", 'a') : 0;
        }
        """;

    @Test
    void whiteSpaceAndCommentsDoNotCount() {
        assertThat(new JavaTokens(SOURCE).replaceOnce("a>=/* two */ 2", "a >= 3"))
                .isEqualTo("""
                    int f(int a) {
                        // a >= 1
                        return a >= 3 ? g("a >= 2", 'a') : 0;
                    }
                    """);
    }

    @Test
    void aStringIsOneToken() {
        assertThat(new JavaTokens("x(\"/* \\\" */\", y); // y").replaceOnce("y", "z"))
                .isEqualTo("x(\"/* \\\" */\", z); // y");
    }

    @Test
    void codeThatIsNotThereIsRefused() {
        assertThatThrownBy(() -> new JavaTokens(SOURCE).replaceOnce("a >= 1", "a"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("0 times");
    }

    @Test
    void codeThatStandsTwiceIsRefused() {
        assertThatThrownBy(() -> new JavaTokens(SOURCE).replaceOnce("int", "long"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("2 times");
    }

    @Test
    void noCodeIsRefused() {
        assertThatThrownBy(() -> new JavaTokens(SOURCE).replaceOnce(" ", "a")).isInstanceOf(AssertionError.class);
    }
}
