// A shell in a terminal under `charm run`: the terminal is one of Python's, so that the test needs nobody to type.
#include <string>

#include "attach/steering.hpp"

namespace {

using TerminalTest = charm::cli::test::Steering;

// An interactive shell, as the terminal's session leader, runs charm with another shell, which suspends itself. The
// outer one must have its prompt back, see one stopped job, and bring it back by fg.
constexpr const char* session = R"py(
import os, pty, select, sys, time

child, terminal = pty.fork()
if child == 0:
    os.environ['PS1'] = 'outer> '
    os.execvp('bash', ['bash', '--norc', '--noprofile', '--noediting', '-i'])

seen = ''
def expect(text):
    global seen
    end = time.monotonic() + 60
    while text not in seen:
        ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        if not ready:
            sys.exit(f'in vain for {text!r}; seen: {seen!r}')
        try:
            seen += os.read(terminal, 4096).decode(errors='replace')
        except OSError:
            sys.exit(f'the terminal is closed before {text!r}; seen: {seen!r}')
    seen = seen[seen.index(text) + len(text):]

def send(line):
    os.write(terminal, (line + '\n').encode())

# Words are joined by the shell, so that what it echoes is not what it prints.
expect('outer> ')
send(sys.argv[1] + ' run -q -- env PS1="inner""> " bash --norc --noprofile --noediting -i')
expect('inner> ')
send('suspend')
expect('outer> ')
send('jobs | grep -c Stopp""ed; echo jobs-"told"')
expect('1\r\n')
expect('jobs-told')
send('fg')
send('echo back-"inside"-$PS1')
expect('back-inside-inner>')
send('exit 7')
expect('outer> ')
send('echo code-"$?"')
expect('code-7')
send('exit')
os.waitpid(child, 0)
print('done')
)py";

TEST_F(TerminalTest, AShellThatSuspendsItselfGivesTheTerminalBackAndReturnsByFg) {
  if (shell("python3 -c 'import pty; pty.openpty()' && command -v bash").exit_code != 0)
    GTEST_SKIP() << "no Python, no terminals or no bash";
  given("session.py", session);
  const auto said = shell("CHARM_SHARE=off LC_ALL=C timeout 200 python3 session.py '" CHARM_TOOL "'");
  EXPECT_EQ(said.out, "done\n") << said.err;
}

}  // namespace
