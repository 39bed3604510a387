import type { Command, Given, Surroundings } from "./terminal/command.js";
import { UsageError } from "./terminal/command.js";

/** Makes a script for bash that completes commands, their options, then files. */
export function completion(commands: readonly Command[], given: Given, { out }: Surroundings): number {
  const [shell] = given.operands;
  if (shell !== "bash") throw new UsageError(`completion is for bash: source <(framework completion bash)`);
  const cases = commands.map(({ name, options }) => {
    const flags = Object.keys(options).map((option) => `--${option}`);
    return `    "${name}") words="${[...flags, "--help", "--verbose"].join(" ")}" ;;`;
  });
  const first = [...new Set(commands.map(({ name }) => name.split(" ")[0]))];
  const groups = first.flatMap((group) => {
    const seconds = commands.flatMap(({ name }) =>
      name.startsWith(`${group} `) ? [name.slice(`${group} `.length)] : [],
    );
    return seconds.length === 0 ? [] : [`    ${group}) words="${seconds.join(" ")}" ;;`];
  });
  out(`# bash completion of framework: source <(framework completion bash)
_framework() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${first.join(" ")} --help --version" -- "$word"))
    return
  fi
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "\${COMP_WORDS[1]}" in
${groups.join("\n")}
    esac
    [ -n "$words" ] && COMPREPLY=($(compgen -W "$words" -- "$word")) && return
  fi
  [[ "$word" == -* ]] || return
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${cases.filter((line) => /^ {4}"\S+ \S+"\)/.test(line)).join("\n")}
    *) case "\${COMP_WORDS[1]}" in
${cases.filter((line) => !/^ {4}"\S+ \S+"\)/.test(line)).join("\n")}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _framework framework
`);
  return 0;
}
