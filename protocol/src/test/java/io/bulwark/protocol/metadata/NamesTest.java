package io.bulwark.protocol.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.PrincipalId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "Photos|character 1 is 'P'",
                "pho_tos|character 4 is '_'",
                "photös|character 5 is U+00F6",
                "pho tos|character 4 is U+0020",
                "-photos|character 1 is '-'; a name begins and ends with",
                "photos.|character 7 is '.'; a name begins and ends with",
                "pho..tos|'.' follows '.' as character 5",
                "ph|3 to 63 characters, this has 2",
            })
    void aBadNameIsShownWhereItIsBad(String name, String problem) {
        assertThat(Names.problemOfName(name))
                .hasValueSatisfying(text -> assertThat(text).contains(problem));
    }

    @Test
    void aBadKeyOrPrefixIsShownWhereItIsBad() {
        assertThat(Names.problemOfKey("a\ud83d\ude00\nb")).contains("character 3 is the control character U+000A");
        assertThat(Names.problemOfPrefix("bell\u0007")).contains("character 5 is the control character U+0007");
        assertThat(Names.problemOfKey("lone \ud800 surrogate"))
                .contains("character 6 is U+D800, which is no character of Unicode");
        assertThat(Names.problemOfKey("no\ufffe")).contains("character 3 is U+FFFE, which is no character of Unicode");
        assertThat(Names.problemOfKey("")).isPresent();
        assertThat(Names.problemOfPrefix("")).isEmpty();
        assertThat(Names.problemOfPrefix("p".repeat(1025)))
                .hasValueSatisfying(text -> assertThat(text).contains("at most 1024 bytes in UTF-8, this has 1025"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "nod-3|character 4 is '-'",
                "node_3|character 5 is '_'",
                "node-3x|character 7 is 'x'",
                "node-|it ends after 5 characters",
                "client|it ends after 6 characters",
                "replica-007|its number begins with 0",
                "client-1234567890|its number has more than 9 digits",
                "Bob|character 1 is 'B'",
            })
    void aBadPrincipalIsShownWhereItIsBad(String name, String problem) {
        assertThatThrownBy(() -> PrincipalId.parse(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"" + name + "\" is not a principal such as node-3")
                .hasMessageEndingWith(": " + problem);
    }
}
